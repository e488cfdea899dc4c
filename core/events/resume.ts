// Resume ids of streams. For one topic: the message id. For several topics each id contains all positions,
// `WATCH:1700000000005,WEBHOOK:1700000000002`, so that one header resumes all of them.

export interface Positions {
  /** Records a message and returns the id to send. */
  advance(topic: string, id: number): string
  copy(): Positions
}

export function createPositions(
  labels: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, number> = new Map(),
): Positions {
  const positions = new Map(known)
  return {
    advance(topic, id) {
      if (labels.size === 1) return String(id)
      positions.set(topic, id)
      return [...positions].map(([name, position]) => `${labels.get(name)}:${position}`).join(',')
    },
    copy: () => createPositions(labels, positions),
  }
}

/** Positions by topic. Unreadable ones are omitted: the client then gets the whole backlog. */
export function parseResumeId(header: string, labels: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const positions = new Map<string, number>()
  if (labels.size === 1) {
    const id = toId(header)
    for (const topic of labels.keys()) if (id !== undefined) positions.set(topic, id)
    return positions
  }
  const byLabel = new Map([...labels].map(([topic, label]) => [label, topic]))
  for (const part of header.split(',', labels.size)) {
    const colon = part.lastIndexOf(':')
    const topic = byLabel.get(part.slice(0, colon).trim())
    const id = toId(part.slice(colon + 1))
    if (topic !== undefined && id !== undefined) positions.set(topic, id)
  }
  return positions
}

/** The resume id of a combined stream: the last id of each route, by its position. */
export function joinIds(ids: readonly string[]): string {
  // Includes empty positions: routes that did not open their stream.
  return ids.flatMap((id, place) => (id ? [`${place}=${encodeURIComponent(id)}`] : [])).join('&')
}

export function splitIds(text: string): ReadonlyMap<number, string> {
  const ids = new Map<number, string>()
  for (const [place, id] of new URLSearchParams(text)) {
    const index = toId(place)
    if (index !== undefined && id !== '') ids.set(index, id)
  }
  return ids
}

function toId(text: string): number | undefined {
  const id = Number(text.trim() || Number.NaN)
  return Number.isSafeInteger(id) && id >= 0 ? id : undefined
}
