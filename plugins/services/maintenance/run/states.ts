// The last run of each action, in memory: its progress and its result.
import { failureCode, isPlayheadError } from '@playhead/sdk'

interface RunState {
  readonly state: 'idle' | 'running' | 'succeeded' | 'failed'
  /** Epoch seconds. */
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly percent: number
  readonly message: string
  readonly result?: unknown
  readonly error?: string
}

/** @param percent progress before this step */
type Step = (message: string, percent?: number) => void

export interface RunStates {
  /** The latest run under one of these names. */
  of(names: readonly string[]): RunState
  /** Tracks the work under these names. Errors are rethrown. */
  follow<Result>(names: readonly string[], work: (step: Step) => Promise<Result>): Promise<Result>
}

const IDLE: RunState = { state: 'idle', started_at: null, finished_at: null, percent: 0, message: '' }

export function createRunStates(now: () => number): RunStates {
  const states = new Map<string, RunState>()
  const seconds = () => Math.floor(now() / 1_000)
  return {
    of: (names) => [...states].findLast(([name]) => names.includes(name))?.[1] ?? IDLE,
    async follow(names, work) {
      const set = (state: RunState) => {
        for (const name of names) states.set(name, state)
      }
      let running: RunState = { ...IDLE, state: 'running', started_at: seconds() }
      // The latest run comes last.
      for (const name of names) states.delete(name)
      set(running)
      try {
        const result = await work((message, percent = running.percent) => {
          running = { ...running, message, percent }
          set(running)
        })
        set({ ...running, state: 'succeeded', finished_at: seconds(), percent: 100, message: 'Done.', result })
        return result
      } catch (error) {
        const known = isPlayheadError(error)
        set({
          ...running,
          state: 'failed',
          finished_at: seconds(),
          message: known ? error.message : 'It failed. The log says more.',
          error: failureCode(error),
        })
        throw error
      }
    },
  }
}
