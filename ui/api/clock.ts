// The server time. Server timestamps are compared with it, because the clock of the device may be wrong.

// The Date header has whole seconds, and the response takes time to arrive.
const CLOSE_ENOUGH_MS = 3_000
let aheadMs = 0

export function nowAtServiceMs(): number {
  return Date.now() + aheadMs
}

export function readClock({ headers }: Response): void {
  const toldMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(toldMs)) return
  const differenceMs = toldMs - Date.now()
  aheadMs = Math.abs(differenceMs) < CLOSE_ENOUGH_MS ? 0 : differenceMs
}
