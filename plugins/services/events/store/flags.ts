// Bit flags of facts and groups.

/** Bits of `flags` of a fact. */
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
/** Lowest bit of `kinds`: events were deleted or hidden, so other bits may be outdated. */
export const LOOSE = 1

/** The current kinds of a `grp` row. */
export const KINDS_NOW = `(SELECT coalesce(sum(DISTINCT f.kind_bit) | max(e.hidden), -1)
  FROM event e INDEXED BY event_group CROSS JOIN facet f ON f.id = e.facet_id WHERE e.group_id = grp.id)`
