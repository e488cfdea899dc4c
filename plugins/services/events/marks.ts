// Numbers that facts and groups are marked with.

/** Bits of a fact's `flags`. */
export const FLAG = {
  problem: 1,
  failure: 2,
  health: 4,
  started: 8,
  finished: 16,
  live: 32,
  planned: 64,
  error: 128,
  reasoned: 256,
  again: 512,
} as const

/** Kinds of groups. */
export const KIND = { item: 0, run: 1, audit: 2, scrobble: 3, other: 4 } as const
