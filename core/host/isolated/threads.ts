// Threads of plugins. Each starts without a plugin, loads the SDK and then runs the one plugin that it gets. While a plugin
// is edited, one of them waits, so that a save does not wait for the start of a thread. No thread runs a second plugin.
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { ROOT, threadModule } from '../../installation.ts'
import { CELLS_BYTES, type FreshThreadData } from './wire.ts'

const YOUNG_MB = 16
/** The spare takes about 20 MB. */
const SPARE_MS = 5 * 60_000

interface ThreadNeeds {
  /** Limit of its heap. */
  readonly memoryMb: number
  /** Modules of the SDK that its plugin requires. */
  readonly modules: readonly string[]
}

/** A thread that has got no plugin yet. */
export interface FreshThread extends Pick<FreshThreadData, 'beats' | 'bell'> {
  readonly worker: Worker
  /** For synchronous calls of the plugin. */
  readonly syncPort: MessagePort
}

export interface Threads {
  /** The spare, or one that starts now. */
  fresh(needs: ThreadNeeds): FreshThread
  /** A plugin is being edited: keeps a spare for its next save, with the needs of the thread that was started last. */
  keepSpare(): void
  close(): Promise<void>
}

export function createThreads(spareMs: number = SPARE_MS): Threads {
  let last: ThreadNeeds | null = null
  let spare: (FreshThread & Pick<ThreadNeeds, 'memoryMb'>) | null = null
  let timer: NodeJS.Timeout | undefined

  /** Nothing ends the thread that it returns. */
  function takeSpare(): typeof spare {
    const taken = spare
    spare = null
    clearTimeout(timer)
    taken?.worker.off('exit', endSpare)
    return taken
  }

  function endSpare(): void {
    void takeSpare()?.worker.terminate()
  }

  return {
    fresh(needs) {
      last = needs
      if (spare?.memoryMb === needs.memoryMb) return takeSpare() as FreshThread
      return startFresh(needs.memoryMb, null)
    },
    keepSpare() {
      if (last === null) return
      if (spare?.memoryMb !== last.memoryMb) {
        endSpare()
        spare = { ...startFresh(last.memoryMb, last.modules), memoryMb: last.memoryMb }
        spare.worker.on('exit', endSpare)
      }
      clearTimeout(timer)
      timer = setTimeout(endSpare, spareMs).unref()
    },
    async close() {
      last = null
      await takeSpare()?.worker.terminate()
    },
  }
}

function startFresh(memoryMb: number, spare: FreshThreadData['spare']): FreshThread {
  const beats = new Int32Array(new SharedArrayBuffer(CELLS_BYTES))
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const compiled = getCompileCacheDir()
  const worker = new Worker(join(ROOT, 'core/host/isolated/entry.js'), {
    name: 'plugin',
    workerData: {
      thread: threadModule('host/isolated/plugin-thread.ts'),
      spare,
      beats,
      bell,
      syncPort: port2,
      compileCache: compiled === undefined ? null : dirname(compiled),
    } satisfies FreshThreadData,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
  worker.unref()
  // Without a listener an error ends the process; `exit` follows.
  worker.on('error', () => {})
  return { worker, beats, bell, syncPort: port1 }
}
