// Dates in the formats of the servers: seven digits after the second, or digits only.
export function formatDate(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '0000Z')
}

/** Milliseconds of an ISO date, undefined for anything else. A date without a zone is UTC. */
export function parseIsoDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text)) return undefined
  const zoned = /T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T')
  const atMs = Date.parse(zoned ? text : `${text}Z`)
  return Number.isNaN(atMs) ? undefined : atMs
}

/** Milliseconds of `yyyyMMddHHmmss` in UTC, undefined for anything else. */
export function parseCompactDate(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)
  if (parts === null) return undefined
  return parseIsoDate(`${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}Z`)
}
