// Runs the requests of README.md unchanged with curl, against a service without an account. Curl's own settings redirect
// localhost:8787 to the port of the test.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { signInToJellyfin, signInToTrakt, untilTrue } from '../demo/sign-in.ts'
import { startService } from '../harness.ts'
import { startJellyfin } from '../upstreams/jellyfin.ts'
import { startTrakt } from '../upstreams/trakt.ts'

t.setTimeout(900_000)
const run = promisify(execFile)
const README = join(import.meta.dirname, '..', '..', 'README.md')

/** The code blocks below a heading. */
async function commandsOf(heading: string): Promise<readonly string[]> {
  const text = (await readFile(README, 'utf8')).split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands)
}

t.test('a new user creates the account, signs in, pairs two services and previews the first run', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'playhead-curl-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  await using service = await startService({ shipped: true, withoutAccount: true, watch: false })
  await writeFile(
    join(home, '.curlrc'),
    `connect-to = "localhost:8787:127.0.0.1:${new URL(service.url).port}"\nwrite-out = "\\n%{http_code}\\n"\nsilent\nnoproxy = "*"\n`,
  )
  /** Status and body of each request. */
  const shell = async (commands: string): Promise<readonly (readonly [status: string, body: any])[]> => {
    const { PATH = '' } = process.env
    const { stdout } = await run('sh', ['-e', '-c', commands], { cwd: home, env: { HOME: home, PATH } })
    const lines = stdout.trimEnd().split('\n')
    return Array.from({ length: lines.length / 2 }, (_, n) => [
      lines[2 * n + 1] as string,
      JSON.parse(lines[2 * n] as string),
    ])
  }

  const [first = '', again = ''] = await commandsOf('The first request')
  const [[made, account] = [], [listed, providers] = []] = await shell(first)
  t.match([made, account], ['200', { ok: true, enabled: true }])
  t.equal(listed, '200')
  t.match(JSON.stringify(providers), /Jellyfin/)
  await rm(join(home, 'cookies'))
  const [[signedIn] = [], [, status] = []] = await shell(again)
  t.equal(signedIn, '200')
  t.match(status, { authenticated: true })

  const [, cookie] = /cw_auth\t(\S+)/.exec(await readFile(join(home, 'cookies'), 'utf8')) ?? []
  service.setCookie(`cw_auth=${cookie}`)
  await using jellyfin = await startJellyfin({ movies: 40, shows: 0, activity: 0.5 })
  await using trakt = await startTrakt({ movies: 40, shows: 0 })
  await signInToJellyfin(service, jellyfin)
  await signInToTrakt(service, trakt)

  const [sync = ''] = await commandsOf('Sync two accounts from a program')
  const [pair, started, summary] = await shell(sync)
  t.match(pair, ['200', { ok: true }])
  t.match(started, ['200', { ok: true }])
  t.match(summary, ['200', { run_id: started?.[1].run_id }])
  await untilTrue('the run', async () => (await service.json('/api/run/summary')).body.running === false)
  t.match((await service.json('/api/run/summary')).body, { dry_run: true, result: 'ok' })
  const asked = trakt.requests.filter(({ path }) => path.startsWith('/sync'))
  t.ok(asked.length > 0)
  t.same(
    asked.filter(({ method }) => method !== 'GET'),
    [],
  )
})
