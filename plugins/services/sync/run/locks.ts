// One writer per account. A run waits for the lock; a write outside a run fails instead.
import { PlayheadError } from '@playhead/sdk'

export interface Locks {
  /** Takes all locks in a fixed order and returns what releases them. Throws when the signal aborts. */
  acquire(uids: readonly string[], signal?: AbortSignal): Promise<() => void>
  /** Throws `PLH_CONFLICT` (`busy`) while the account is locked. */
  tryAcquire(uid: string): () => void
}

export function createLocks(): Locks {
  const queues = new Map<string, Promise<void>>()

  function take(uid: string): { readonly turn: Promise<void> | undefined; release(): void } {
    const turn = queues.get(uid)
    let resolveDone = () => {}
    const done = new Promise<void>((resolve) => {
      resolveDone = resolve
    })
    const tail = turn === undefined ? done : turn.then(() => done)
    queues.set(uid, tail)
    return {
      turn,
      release() {
        resolveDone()
        if (queues.get(uid) === tail) queues.delete(uid)
      },
    }
  }

  return {
    async acquire(uids, signal) {
      const releases: (() => void)[] = []
      const release = () => {
        for (const each of releases.splice(0)) each()
      }
      for (const uid of [...new Set(uids)].sort()) {
        const lock = take(uid)
        releases.push(lock.release)
        await lock.turn
        if (signal?.aborted === true) {
          release()
          throw new PlayheadError('PLH_ABORTED', 'The run was cancelled while it waited for an account.')
        }
      }
      return release
    },
    tryAcquire(uid) {
      if (queues.has(uid)) {
        throw new PlayheadError('PLH_CONFLICT', 'A run is using this account. Try again when it has ended.', {
          wire: 'busy',
        })
      }
      return take(uid).release
    },
  }
}
