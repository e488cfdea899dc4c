// Runs the command line in a temporary folder: in this process, or as a child process.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { runCli } from '../../../core/cli/run.ts'
import { until } from '../../harness.ts'

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
  /** Like `cli`, without TypeScript, which skips the slow type check. */
  cliWithoutTypeScript(...args: readonly string[]): Promise<Outcome>
  /** Like `cli`, as a child process, which is slow. */
  program(...args: readonly string[]): Promise<Outcome>
  /** Runs any file with Node, in a folder. */
  node(folder: string, file: string): Promise<Outcome>
  start(...args: readonly string[]): ChildProcess
  /** Like `program`, at a terminal, by script(1) of util-linux; its input is typed. */
  startAtTerminal(...args: readonly string[]): ChildProcess
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
    // Tests make no requests to other machines.
    PLAYHEAD_NPM_REGISTRY: 'http://127.0.0.1:9',
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
      // npm sets this to the caller's folder.
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
    startAtTerminal: (...args) =>
      spawn('script', ['-qefc', [process.execPath, ENTRY, ...args].map((word) => `'${word}'`).join(' '), '/dev/null'], {
        ...{ cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] },
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/**
 * A folder whose `node` is too old for Playhead: the one of this machine if there is one, otherwise a wrapper that reports
 * an older version and does not support TypeScript.
 */
export async function openOldNode({ folder }: Sandbox): Promise<string> {
  for (const place of (process.env['PATH'] ?? '').split(delimiter)) {
    const version = await new Promise<string>((resolve) => {
      execFile(join(place, 'node'), ['--version'], (error, output) => resolve(error === null ? output : 'v99'))
    })
    if (Number.parseInt(version.slice(1), 10) < 26) return place
  }
  const older = join(folder, 'older')
  await mkdir(older)
  await writeFile(join(older, 'node'), `#!/bin/sh\nexec "${process.execPath}" --require "${older}/older.cjs" "$@"\n`, {
    mode: 0o755,
  })
  await writeFile(
    join(older, 'older.cjs'),
    `Object.defineProperty(process, 'version', { value: 'v20.1.0' })
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })
if (process.argv[1]?.endsWith('.ts')) throw new SyntaxError('Unexpected token')`,
  )
  return older
}

/** Runs `plugin dev` for the plugin `name` in the sandbox, and collects its output. */
export function startDev(sandbox: Sandbox, name: string, ...args: readonly string[]) {
  return devOf(sandbox, name, sandbox.start('plugin', 'dev', name, ...args))
}

export function devOf(sandbox: Sandbox, name: string, child: ChildProcess) {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const said = (what: RegExp, from = 0) => until(String(what), () => what.exec(output.slice(from)), 90_000)
  return {
    child,
    said,
    output: () => output,
    type: (text: string) => void child.stdin?.write(text),
    /** Saves a change and waits until its checks end. */
    async save(file: string, change: (text: string) => string, end: RegExp): Promise<string> {
      const path = join(sandbox.folder, name, file)
      const from = output.length
      await writeFile(path, change(await readFile(path, 'utf8')))
      await said(end, from)
      return output.slice(from)
    },
  }
}

/** Runs a program in a folder, with another folder first in the path, and without the variables of this test run. */
export function runProgram(
  { folder: home }: Sandbox,
  first: string,
  cwd: string,
  program: string,
  ...args: readonly string[]
): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { cwd, env: { HOME: home, PATH: `${first}${delimiter}${process.env['PATH']}` }, timeout: 120_000 },
      (error, output, errors) =>
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, output, errors }),
    )
  })
}
