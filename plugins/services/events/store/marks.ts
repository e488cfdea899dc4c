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

export const KIND_BITS = 50
/** The lowest bit: events of the group are gone or hidden, so that another bit may mean nothing any more. */
export const LOOSE = 1

/** Of a row of `grp`. */
export const KINDS_NOW = `(SELECT coalesce(sum(DISTINCT f.kind_bit) | max(e.hidden), -1)
  FROM event e INDEXED BY event_group CROSS JOIN facet f ON f.id = e.facet_id WHERE e.group_id = grp.id)`
