// Runs the command line in a temporary folder: in this process, or as a child process.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../../core/cli/run.ts'

export const ROOT = join(import.meta.dirname, '..', '..', '..')
const ENTRY = join(ROOT, 'core', 'cli', 'index.ts')

export interface Outcome {
  readonly code: number
  readonly output: string
  readonly errors: string
}

export interface Sandbox extends AsyncDisposable {
  readonly folder: string
  readonly data: string
  /** Runs a command on the sandbox's data directory, in this process. */
  cli(...args: readonly string[]): Promise<Outcome>
  /** The same without TypeScript, which skips the slow type check. */
  cliWithoutTypeScript(...args: readonly string[]): Promise<Outcome>
  /** The same as a child process, which is slow. */
  program(...args: readonly string[]): Promise<Outcome>
  /** Runs any file with Node, in a folder. */
  node(folder: string, file: string): Promise<Outcome>
  start(...args: readonly string[]): ChildProcess
}

export async function openSandbox(variables: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'playhead-cli-'))
  const data = join(folder, 'data')
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = {
    PATH,
    HOME,
    PLAYHEAD_DATA_DIR: data,
    PLAYHEAD_PORT: '0',
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...variables,
  }
  const run = (cwd: string, args: readonly string[]) =>
    new Promise<Outcome>((resolve) => {
      execFile(process.execPath, [...args], { cwd, env, timeout: 60_000 }, (error, output, errors) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output, errors })
      })
    })
  const runHere = async (root: string, args: readonly string[]): Promise<Outcome> => {
    const printed = { output: '', errors: '' }
    const code = await runCli(args, {
      root,
      // As set by npm: the caller's folder.
      variables: { ...env, npm_lifecycle_event: 'playhead', INIT_CWD: folder },
      print: (line) => {
        printed.output += `${line}\n`
      },
      printError: (line) => {
        printed.errors += `${line}\n`
      },
    })
    return { code, ...printed }
  }
  return {
    folder,
    data,
    cli: (...args) => runHere(ROOT, args),
    cliWithoutTypeScript: (...args) => runHere(folder, args),
    program: (...args) => run(folder, [ENTRY, ...args]),
    node: (cwd, file) => run(cwd, [file]),
    start: (...args) =>
      spawn(process.execPath, [ENTRY, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
