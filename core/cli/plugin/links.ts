// Links Playhead's packages and its Node into the folder of a plugin that lies outside of Playhead's: imports resolve,
// for Node and for editors, and the scripts of package.json run on the right Node, whichever the machine has.
import { existsSync } from 'node:fs'
import { lstat, mkdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const SDK = '@playhead/sdk'
/** Packages that plugins, tests and editors import. Only the SDK is required; the others are development packages. */
const PACKAGES = [SDK, 'tap', '@types/node', 'typescript']

interface Links {
  /** Linked packages and programs, with their versions. */
  readonly linked: readonly string[]
  /** Packages that npm installed in the folder; they are not replaced. */
  readonly kept: readonly string[]
  /** Packages that this Playhead does not have. */
  readonly missing: readonly string[]
}

/** @param root Playhead's own folder */
export async function linkPackages(root: string, folder: string): Promise<Links> {
  const [linked, kept, missing]: [string[], string[], string[]] = [[], [], []]
  for (const name of PACKAGES) {
    const source = await realpath(join(root, 'node_modules', ...name.split('/'))).catch(() => null)
    if (source === null) missing.push(name)
    else if (await link(source, join(folder, 'node_modules', ...name.split('/')), 'junction'))
      linked.push(`${name} ${await versionOf(source)}`)
    else kept.push(name)
  }
  const programs = {
    node: await nodeOf(root),
    playhead: join(root, 'core', 'cli', 'playhead.js'),
    tsc: join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  }
  for (const [name, source] of Object.entries(programs))
    if (existsSync(source)) await link(source, join(folder, 'node_modules', '.bin', name), 'file')
  return { linked: [...linked, `node ${process.version.slice(1)}`], kept, missing }
}

/** The Node that came with Playhead, or the one that runs it. */
async function nodeOf(root: string): Promise<string> {
  const own = join(root, 'node_modules', '.bin', 'node')
  return existsSync(own) ? realpath(own) : process.execPath
}

/** False if the path exists and is not a link; it is not replaced. */
async function link(source: string, path: string, type: 'junction' | 'file'): Promise<boolean> {
  const there = await lstat(path).catch(() => null)
  if (there !== null && !there.isSymbolicLink()) return false
  if (there !== null) {
    if ((await realpath(path).catch(() => null)) === source) return true
    await rm(path)
  }
  await mkdir(dirname(path), { recursive: true })
  await symlink(source, path, type)
  return true
}

async function versionOf(folder: string): Promise<string> {
  return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }).version
}
