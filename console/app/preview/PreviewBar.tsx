// As whom and at which time the screens below are read: always in sight.
import { useId, useState, type ReactNode } from 'react';
import { fromLocalInput, showTime, toLocalInput } from '../parts/times.ts';
import { ActorPicker } from './ActorPicker.tsx';
import { usePreview } from './context.tsx';
import type { Preview } from './preview.ts';
import { useActorName } from './useActorName.ts';

export function PreviewBar(): ReactNode {
  const { preview, setPreview, isPossible } = usePreview();
  const at = useId();
  const [round, setRound] = useState(0);
  const end = (): void => {
    setPreview(null);
    // The choice of somebody who was not named yet ends, too.
    setRound(round + 1);
  };
  if (!isPossible) {
    return (
      <div className="preview">
        <p>
          You see what a visitor sees who is not signed in. Reading as somebody else needs a master or a user token.
        </p>
      </div>
    );
  }
  return (
    <section className={preview === null ? 'preview' : 'preview active'} aria-label="Preview">
      <ActorPicker
        key={round}
        label="Seen by"
        own="You (no preview)"
        as={preview?.as ?? null}
        onChange={(as) => setPreview(as === null ? null : { as, at: preview?.at ?? null })}
      />
      <div className="inline">
        <label htmlFor={at}>At</label>
        <input
          id={at}
          type="datetime-local"
          disabled={preview === null}
          title={preview === null ? 'Choose first as whom to look.' : undefined}
          value={toLocalInput(preview?.at ?? null)}
          onChange={({ target }) => preview && setPreview({ ...preview, at: fromLocalInput(target.value) })}
        />
      </div>
      {preview !== null && (
        <>
          <button type="button" onClick={end}>
            End the preview
          </button>
          <Seen preview={preview} />
        </>
      )}
    </section>
  );
}

function Seen({ preview: { as, at } }: { readonly preview: Preview }): ReactNode {
  const actor = useActorName(as);
  return (
    <p role="status">
      You see what {actor} {at === null ? 'sees now' : `sees at ${showTime(at)}`}.
    </p>
  );
}
