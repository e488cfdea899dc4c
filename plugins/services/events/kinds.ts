// Which kinds of events a group has, as bits in its row, so that a list of one kind need not look at the events. A kind
// gets its bit when it is first seen; those that come late share the last one.

export const KIND_BITS = 50
/** The lowest bit: events of the group are gone or hidden, so that another bit may mean nothing any more. */
export const LOOSE = 1

/** Of a row of `grp`. */
export const KINDS_NOW = `(SELECT coalesce(sum(DISTINCT f.kind_bit) | max(e.hidden), -1)
  FROM event e INDEXED BY event_group CROSS JOIN facet f ON f.id = e.facet_id WHERE e.group_id = grp.id)`
