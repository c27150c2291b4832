import type { Exchange } from './exchange.mjs';
export function watchAnswers(onAnswer: (exchange: Exchange) => void): () => void;
