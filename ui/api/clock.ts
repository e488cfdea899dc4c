// The time as the service has it: the times that it tells are compared with this one, for a device's clock may be
// wrong.

// The service tells whole seconds, and its answer takes a while.
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
