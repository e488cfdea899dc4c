// Waits for the service to come back after a restart.
import { at } from './base.ts'

const POLL_MS = 1_000

/** Opens the sign-in when the service answers again. Responses before the shutdown come from the old process, so one request
 * has to fail first. */
export function reloadWhenBack(): () => void {
  let wasAway = false
  const timer = setInterval(
    () =>
      void fetch(at('/healthz')).then(
        () => wasAway && location.assign(at('/login')),
        () => {
          wasAway = true
        },
      ),
    POLL_MS,
  )
  return () => clearInterval(timer)
}
