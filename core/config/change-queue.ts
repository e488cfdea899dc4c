// The queue of the configuration's single writer: changes that arrive during a write share the next one.
import { PlayheadError } from '@playhead/sdk'
import type { ConfigChange, ConfigDocument } from './contract.ts'

const MAX_WAITING = 10_000

export interface WaitingChange {
  readonly by: string
  readonly mutate: (draft: ConfigDocument) => void
  readonly ifRevision: string | undefined
  /** How long the mutator may take; undefined: it is synchronous. */
  readonly waitMs?: number | undefined
  readonly resolve: (change: ConfigChange) => void
  readonly reject: (error: unknown) => void
}

interface ChangeQueue {
  add(change: Pick<WaitingChange, 'by' | 'mutate' | 'ifRevision' | 'waitMs'>): Promise<ConfigChange>
  /** Checks the file for changes; resolves when the check and all queued changes are done. */
  check(): Promise<void>
  readonly isClosed: boolean
  /** Refuses further changes with this error, permanently. */
  refuse(error: () => PlayheadError): void
  /** Refuses further changes and resolves when the queued ones are done. */
  close(): Promise<void>
}

interface QueueWork {
  /** Loads changes from disk; runs before every save. */
  readonly check: () => Promise<void>
  /** Saves the changes and settles each of them. */
  readonly save: (batch: readonly WaitingChange[]) => Promise<void>
}

export function createChangeQueue({ check, save }: QueueWork): ChangeQueue {
  const queue: WaitingChange[] = []
  let working: Promise<void> | undefined
  let isCheckWanted = false
  let isClosed = false
  let refusal: (() => PlayheadError) | undefined

  return {
    add(change) {
      if (refusal !== undefined) return Promise.reject(refusal())
      if (isClosed)
        return Promise.reject(new PlayheadError('PLH_ABORTED', 'Playhead is stopping. The settings were not changed.'))
      if (queue.length >= MAX_WAITING) {
        return Promise.reject(
          new PlayheadError('PLH_TOO_MANY', 'Too many changes of the settings are waiting to be saved.'),
        )
      }
      return new Promise((resolve, reject) => {
        queue.push({ ...change, resolve, reject })
        void wake()
      })
    },

    async check() {
      isCheckWanted = true
      await wake()
    },

    refuse(error) {
      refusal = error
    },

    get isClosed() {
      return isClosed
    },

    async close() {
      isClosed = true
      await working
    },
  }

  function wake(): Promise<void> {
    return (working ??= work().finally(() => {
      working = undefined
      // A change may have arrived after the last check.
      if (isCheckWanted || queue.length > 0) return wake()
    }))
  }

  async function work(): Promise<void> {
    while (isCheckWanted || queue.length > 0) {
      isCheckWanted = false
      let batch: readonly WaitingChange[] = []
      try {
        await check()
        batch = queue.splice(0)
        if (batch.length > 0) await save(batch)
      } catch (error) {
        for (const waiting of [...batch, ...queue.splice(0)]) waiting.reject(notSaved(error))
      }
    }
  }
}

export function notSaved(cause: unknown): PlayheadError {
  return new PlayheadError(
    'PLH_NOT_READY',
    'The configuration could not be saved. Check the space and the rights of the data directory.',
    { cause, status: 500, wire: 'config_save_failed' },
  )
}
