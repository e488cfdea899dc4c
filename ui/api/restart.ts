// Waiting for the service to come back after a restart.
import { at } from './base.ts'

const POLL_MS = 1_000

/** Opens the sign-in when the service answers again. Answers before the shutdown are of the old process: one has to fail first. */
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
