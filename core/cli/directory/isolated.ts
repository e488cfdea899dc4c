// Runs commands on plugins in processes of their own: an empty data directory and home, none of the caller's variables, a
// limit of time, and no network beyond this machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const GUARD = join('core', 'cli', 'directory', 'loopback-only.js')
const MAX_OUTPUT = 16 * 1024 * 1024
/** A network of its own, in which only the loopback device is up. */
const OWN_NETWORK = ['unshare', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const

export interface Ran {
  readonly ok: boolean
  readonly output: string
  readonly errors: string
}

export interface Isolation {
  /** In words: what keeps the processes apart. */
  readonly kind: string
  /** Runs Node with these arguments in the folder of the installation. */
  run(args: readonly string[], limitMs: number): Promise<Ran>
  /** For files that a command writes. */
  readonly folder: string
  [Symbol.asyncDispose](): Promise<void>
}

export async function openIsolation(root: string): Promise<Isolation> {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-examine-'))
  const hasNetwork = await canHaveOwnNetwork()
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TMPDIR: folder,
    PLAYHEAD_DATA_DIR: join(folder, 'data'),
    PLAYHEAD_NPM_REGISTRY: 'http://127.0.0.1:9',
    NODE_OPTIONS: `--import=${pathToFileURL(join(root, GUARD)).href}`,
    NODE_NO_WARNINGS: '1',
  }
  return {
    kind: hasNetwork ? 'a network namespace of its own' : 'a process that refuses other connections',
    folder,
    async run(args, limitMs) {
      const command = [...(hasNetwork ? OWN_NETWORK : []), process.execPath, ...args]
      const child = spawn(command[0] as string, command.slice(1), {
        cwd: root,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: limitMs,
        killSignal: 'SIGKILL',
      })
      const texts = { output: '', errors: '' }
      for (const [name, stream] of [
        ['output', child.stdout],
        ['errors', child.stderr],
      ] as const)
        stream.setEncoding('utf8').on('data', (text: string) => {
          texts[name] = (texts[name] + text).slice(0, MAX_OUTPUT)
        })
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
      if (signal !== null) texts.errors += `\nended by ${signal} after at most ${limitMs / 1_000} s`
      return { ok: code === 0, ...texts }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

async function canHaveOwnNetwork(): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const [program, ...args] = OWN_NETWORK
  const child = spawn(program, [...args, 'true'], { stdio: 'ignore' })
  return await Promise.race([once(child, 'close').then(([code]) => code === 0), once(child, 'error').then(() => false)])
}
