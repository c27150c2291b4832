/** The words of a text, however it is broken into lines: for lists of many short names. */
export const words = (text: string): string[] => text.split(/[ \n]+/).filter((word) => word !== '');
