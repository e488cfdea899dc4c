// slow: the service as a process, killed and started again
// The last stage of the Dockerfile is sufficient: its files and nothing else, in a bare root without a shell, read-only, not as
// root, with the Dockerfile's commands. Needs Linux, root and unshare; no container program.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { findBuilt } from '../../core/built.js'
import { until } from '../harness.ts'

t.setTimeout(900_000)
const ROOT = join(import.meta.dirname, '../..')
const DOCKERFILE = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
const LAST = DOCKERFILE.split(/^FROM /m).at(-1) as string
const PORT = 18_787
const run = promisify(execFile)

const canUnshare =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  (await run('unshare', ['--mount', '--pid', '--fork', 'true']).then(
    () => true,
    () => false,
  ))

t.test('the image runs read-only and not as root, and is small', { skip: !canUnshare }, async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'playhead-image-'))
  t.teardown(() => rm(root, { recursive: true, force: true, maxRetries: 20 }))
  await chmod(root, 0o755)
  const app = join(root, 'app')
  await mkdir(app)
  await copyApp(app)
  await copyPackages(join(app, 'node_modules'))
  await copyNode(root)
  for (const folder of ['data', 'tmp', 'proc', 'dev']) await mkdir(join(root, folder))
  await run('chown', ['1000:1000', join(root, 'data')])

  const { stdout: size } = await run('du', ['-sm', '--apparent-size', app])
  const whole = Number(size.split('\t')[0])
  const { size: node } = await stat(join(root, 'bin/node'))
  t.comment(`the application and its packages: ${whole} MB; Node: ${Math.round(node / 1e6)} MB`)
  t.ok(whole <= 150, `the application and its packages have ${whole} MB`)

  const command = JSON.parse(/^CMD (\[.*\])$/m.exec(LAST)?.[1] ?? '[]') as string[]
  const check = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(LAST)?.[1] ?? '[]') as string[]
  const service = inRoot(root, command)
  t.teardown(() => end(service.child))
  await until('the service is up', () => service.output().includes('Playhead is ready') || service.failed(), 60_000)
  t.match(service.output(), 'Playhead is ready')
  // After an edit there is nothing to look at before the next build.
  if ('folder' in findBuilt(ROOT)) t.notMatch(service.output(), 'The core runs from its sources')
  const health = inRoot(root, check)
  const [code] = (await once(health.child, 'exit')) as [number]
  t.equal(code, 0, `the health check: ${health.output()}`)
  const page = await fetch(`http://127.0.0.1:${PORT}/guide`)
  t.equal(page.status, 200, 'the pages are built in')
  const uid = inRoot(root, ['node', '-e', 'console.log(process.getuid()); require("fs").writeFileSync("/app/x", "")'])
  const [refused] = (await once(uid.child, 'exit')) as [number]
  t.match(uid.output(), /^1000\n/)
  t.match([refused, uid.output()], [1, /EROFS/], 'nothing can be written beside /data and /tmp')
})

/** The repository files that the COPY lines of the last stage name, and the pages. */
async function copyApp(app: string): Promise<void> {
  for (const [, from, words = ''] of LAST.matchAll(/^COPY (--from=\w+ )?(.+)$/gm)) {
    const sources = words.split(' ')
    const target = join(app, sources.pop() as string)
    if (from !== undefined) {
      // The packages are copied by their list.
      const made = target.slice(app.length + 1)
      if (made !== 'node_modules') await cp(join(ROOT, made), target, { recursive: true })
      continue
    }
    for (const source of sources) {
      const isFile = (await stat(join(ROOT, source))).isFile()
      const to = isFile ? join(target, source.split('/').at(-1) as string) : target
      await mkdir(dirname(to), { recursive: true })
      await cp(join(ROOT, source), to, { recursive: true, verbatimSymlinks: true })
    }
  }
}

/** The packages that `npm prune --omit=dev` keeps, by the lock file. */
async function copyPackages(target: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>
  }
  const kept = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)
  for (const [path] of kept) {
    const name = path.slice('node_modules/'.length)
    if (name.includes('/node_modules/') || (await stat(join(ROOT, path)).catch(() => null)) === null) continue
    await mkdir(dirname(join(target, name)), { recursive: true })
    await cp(join(ROOT, path), join(target, name), { recursive: true, verbatimSymlinks: true })
  }
  for (const [, removed = ''] of DOCKERFILE.matchAll(/rm -r node_modules\/(\S+)/g))
    await rm(join(target, removed), { recursive: true })
  await rm(join(target, '.cache'), { recursive: true, force: true })
}

/** Node and its shared libraries. */
async function copyNode(root: string): Promise<void> {
  await mkdir(join(root, 'bin'))
  await cp(process.execPath, join(root, 'bin/node'))
  const { stdout } = await run('ldd', [process.execPath])
  for (const [library] of stdout.matchAll(/\/\S+/g)) {
    await mkdir(dirname(join(root, library)), { recursive: true })
    await cp(library, join(root, library), { dereference: true })
  }
  await mkdir(join(root, 'etc'))
  await writeFile(join(root, 'etc/passwd'), 'node:x:1000:1000::/tmp:/bin/none\n')
}

function inRoot(root: string, [program, ...args]: readonly string[]) {
  if (program !== 'node') throw new Error(`${program} is not in the image`)
  const words = args.map((word) => (word.startsWith('core/') ? `/app/${word}` : word))
  const prepare = [
    'mount --make-rprivate /',
    `mount --bind "${root}" "${root}"`,
    `mount --bind "${root}/data" "${root}/data"`,
    `mount -t tmpfs tmpfs "${root}/tmp"`,
    `mount -t proc proc "${root}/proc"`,
    `mount --rbind /dev "${root}/dev"`,
    `mount -o remount,bind,ro "${root}"`,
    `exec chroot --userspec=1000:1000 "${root}" /bin/node "$@"`,
  ].join(' && ')
  const child = spawn('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', prepare, 'sh', ...words], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/tmp',
      NODE_ENV: 'production',
      PLAYHEAD_DATA_DIR: '/data',
      PLAYHEAD_PORT: String(PORT),
      PLAYHEAD_NPM_REGISTRY: 'http://127.0.0.1:9',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group that can be killed as one: a process of another user does not end with its parent.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += String(part)))
  return { child, output: () => output, failed: () => child.exitCode !== null }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-(child.pid as number), 'SIGKILL')
  await ended
}
