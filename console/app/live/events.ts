// Reads Server-Sent Events from pieces of text, as the HTML standard has them. Pure.

export interface StreamEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/**
 * A reader that is given the text of a stream piece by piece, and returns the events that each piece completes. An event
 * without data only moves the id on.
 */
export function createEventReader(): (piece: string) => readonly StreamEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split(/\n\n/);
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const event = readBlock(block);
      return event.id === null && event.data === '' ? [] : [event];
    });
  };
}

function readBlock(block: string): StreamEvent {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return { id, event, data: data.join('\n') };
}
