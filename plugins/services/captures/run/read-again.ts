// Reads an account again if it changed during the read: people do not stop watching for a capture.
import { isPlayheadError, pause } from '@playhead/sdk'

const TRIES = 3
const PAUSE_MS = 2_000

/** @param read throws `read_incomplete` with the reason `changed_while_reading` if the account changed meanwhile */
export async function readAgain<Result>(signal: AbortSignal, read: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read()
    } catch (error) {
      const isChanged = isPlayheadError(error) && error.details?.['reason'] === 'changed_while_reading'
      if (!isChanged || tries === TRIES || signal.aborted) throw error
    }
    await pause(PAUSE_MS, signal)
  }
}
