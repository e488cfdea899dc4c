// The service of `plugin dev`: a process of its own on a data directory of its own, with one account, which runs a copy of
// the plugin. Only versions that passed their checks are copied there.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Cli, CliError } from '../command.ts'
import type { DevService } from './dev-contract.ts'
import type { PluginFolder } from './folder.ts'
import { sourceOf } from '../../packages/folders.ts'
import { changeEntry, placesOf } from './registry-file.ts'
import { rivalsOf, switchOff } from './rivals.ts'

const ACCOUNT = 'dev'
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 15_000
/** Excluded from a version: packages are linked, the rest belongs to editors and version control. */
const LEFT_OUT = /(^|[/\\])(node_modules|\.[^/\\]+)([/\\]|$)/

export async function startDevService(cli: Cli, { manifest }: PluginFolder, port: string): Promise<DevService> {
  const data = cli.dataDirectory
  await mkdir(data, { recursive: true, mode: 0o700 })
  const copy = join(data, 'dev', manifest.id)
  await rm(copy, { recursive: true, force: true })
  const child = spawn(process.execPath, [join(cli.root, 'core', 'start.js'), '--dev'], {
    env: {
      ...(cli.variables as NodeJS.ProcessEnv),
      PLAYHEAD_DATA_DIR: data,
      PLAYHEAD_HOST: '127.0.0.1',
      PLAYHEAD_PORT: port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(() => 'the service ended by itself.')
  try {
    const url = await addressOf(child)
    const { cookie, password } = await signIn(url, join(data, 'dev-account.json'))
    const call = async (path: string, method = 'POST') => {
      const answer = await fetch(url + path, { method, headers: { cookie } })
      return (await answer.json()) as Answer
    }
    return {
      opened: `Open ${url} (user ${ACCOUNT}, password ${password}). Ctrl-C ends it.`,
      ended,
      async publish(plugin) {
        await copyVersion(plugin.directory, copy)
        await switchOff(
          cli,
          (await rivalsOf(cli, plugin.manifest)).filter(({ enabled }) => enabled),
        )
        const { user } = placesOf(cli)
        await changeEntry(user, manifest.id, () => ({ id: manifest.id, source: sourceOf(user, copy), enabled: true }))
        await call('/api/plugins/rescan')
        await call(`/api/plugins/${manifest.id}/reload`)
        const { plugin: shown } = await call(`/api/plugins/${manifest.id}`, 'GET')
        if (shown === undefined) throw new Error('the service does not know the plugin')
        const { last_error: error, state, version, generation } = shown
        if (error !== null) {
          const place = error.file == null ? '' : `${error.file}:${error.line ?? 1}: `
          throw new Error(`${place}${error.message}`)
        }
        if (state !== 'active') throw new Error(`it is ${state}`)
        return `${version}, load ${generation}`
      },
      [Symbol.asyncDispose]: () => stop(child),
    }
  } catch (error) {
    await stop(child)
    throw error
  }
}

interface Answer {
  readonly plugin?: {
    readonly state: string
    readonly version: string
    readonly generation: number
    readonly last_error: {
      readonly message: string
      readonly file?: string | null
      readonly line?: number | null
    } | null
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = ''
  const found = Promise.withResolvers<string>()
  const read = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000)
    const url = /Playhead is ready → (https?:\/\/[^\s"]+)/.exec(output)?.[1]
    if (url !== undefined) found.resolve(url)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  const fail = () => found.reject(new CliError(`the service did not start. ${output.trim().split('\n').at(-1) ?? ''}`))
  child.once('exit', fail)
  child.once('error', fail)
  const limit = setTimeout(fail, START_LIMIT_MS)
  try {
    return await found.promise
  } finally {
    clearTimeout(limit)
  }
}

// The first account is created once per data directory; its password is stored beside it for later runs.
async function signIn(url: string, file: string): Promise<{ readonly cookie: string; readonly password: string }> {
  const known = await readFile(file, 'utf8').catch(() => null)
  const password = known ?? randomBytes(9).toString('base64url')
  const path = known === null ? '/api/app-auth/credentials' : '/api/app-auth/login'
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, username: ACCOUNT, password }),
  })
  await answer.arrayBuffer()
  if (!answer.ok)
    throw new CliError('the data directory belongs to another account. Choose a new folder with --data, or none.')
  if (known === null) await writeFile(file, password, { mode: 0o600 })
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', password }
}

/** Replaces changed files one by one and removes deleted ones. */
async function copyVersion(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await symlink(join(from, 'node_modules'), join(to, 'node_modules'), 'junction').catch(() => {})
  const [wanted, there] = await Promise.all([filesOf(from), filesOf(to)])
  for (const name of wanted) {
    const [source, target] = [join(from, name), join(to, name)]
    const [next, before] = await Promise.all([readFile(source), readFile(target).catch(() => null)])
    if (before?.equals(next) === true) continue
    await mkdir(dirname(target), { recursive: true })
    await copyFile(source, `${target}.tmp`)
    await rename(`${target}.tmp`, target)
  }
  for (const name of there) if (!wanted.includes(name)) await rm(join(to, name), { force: true })
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !LEFT_OUT.test(name))
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await gone
  clearTimeout(limit)
}
