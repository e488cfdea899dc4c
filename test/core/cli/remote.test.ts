// slow: command lines that start the service
// The commands for a running service, against a real service with two media servers.
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { runCli, type CliProcess } from '../../../core/cli/run.ts'
import { startService, until } from '../../harness.ts'
import { startServer } from '../../plugins/jellyfin-and-emby/support.ts'
import { openSandbox } from './support.ts'

t.setTimeout(900_000)

const FEATURES = { history: { enabled: true, add: true, remove: true } }

t.test('a service is inspected, synced, imported to, exported and backed up from the command line', async (t) => {
  await using jellyfin = await startServer('jellyfin', { movies: 120, shows: 0, activity: 1 })
  await using emby = await startServer('emby', { movies: 120, shows: 0 })
  await using service = await startService({ shipped: true, watch: false })
  await using sandbox = await openSandbox()
  for (const [path, { url }] of [
    ['mediaB', jellyfin],
    ['mediaC', emby],
  ] as const)
    await service.json(`/api/${path}/login`, { json: { server: url, username: 'sam', password: 'secret' } })
  await service.json('/api/pairs', {
    json: { name: 'Attic', source: 'MEDIAB', target: 'MEDIAC', mode: 'two-way', enabled: true, features: FEATURES },
  })
  const secrets: Record<string, string> = {}
  for (const scope of ['read', 'run', 'write', 'admin'])
    secrets[scope] = (await service.json('/api/tokens', { json: { name: scope, scope } })).body.secret

  const cli = async (scope: string, args: readonly string[], more: Partial<CliProcess> = {}) => {
    const printed = { output: '', errors: '' }
    const code = await runCli(args, {
      variables: {
        PLAYHEAD_URL: service.url,
        PLAYHEAD_TOKEN: secrets[scope],
        npm_lifecycle_event: 'playhead',
        INIT_CWD: sandbox.folder,
      },
      print: (line) => void (printed.output += `${line}\n`),
      printError: (line) => void (printed.errors += `${line}\n`),
      ...more,
    })
    for (const secret of Object.values(secrets)) t.notMatch(JSON.stringify(printed), secret)
    return { code, ...printed }
  }

  // Read commands.
  t.match(await cli('read', ['status']), { code: 0, output: /Paused\.\nThere was no run yet\.\nNo run is scheduled\./ })
  t.match(await cli('read', ['pairs']), {
    code: 0,
    output: /Attic +MEDIAB default +MEDIAC default +two_way +Paused +never/,
  })
  t.match(await cli('read', ['run']), { code: 1, errors: /needs an API token with the scope "run"; "read" has "read"/ })
  t.match(await cli('run', ['run', '--pair', 'Nowhere']), { code: 2, errors: /no pair "Nowhere"\. There are: "Attic"/ })
  t.match(await cli('run', ['run', '--nonsense']), { code: 2 })
  t.match(await cli('run', ['status', '--url', 'nowhere']), { code: 2, errors: /no address/ })
  t.match(await cli('run', ['status', '--url', 'http://127.0.0.1:9']), { code: 1, errors: /could not be reached/ })
  t.match(await cli('none', ['status']), { code: 1, errors: /wants an API token/ })

  // Sync commands.
  const dry = await cli('run', ['run', '--dry-run', '--pair', 'attic'])
  t.match(dry, { code: 0, output: /Planned: / })
  t.equal(emby.actions.userData('sam', emby.items('Movie')[0]!.id)?.played ?? false, false)
  const first = await cli('run', ['run'])
  t.match(first, { code: 0, output: /^Run \S+\n[\s\S]*history: ok[\s\S]*In sync: [1-9]\d* added/ })
  const json = await cli('run', ['run', '--json'])
  t.equal(json.code, 0)
  t.match(JSON.parse(json.output), { ok: true, run: { running: false, source: 'cli' } })
  t.match(await cli('read', ['status']), { code: 0, output: /In sync\.\nLast run: In sync, 20/ })

  // File commands.
  t.match(await cli('write', ['import', 'mine.csv']), { code: 2, errors: /--provider/ })
  t.match(await cli('write', ['import', 'absent.csv', '--provider', 'SVC']), { code: 1, errors: /ENOENT/ })
  const exported = await cli('read', [
    'export',
    '--provider',
    'MEDIAC',
    '--feature',
    'history',
    '--format',
    'yamtrack',
    '--out',
    'emby.csv',
  ])
  t.match(exported, { code: 0, output: /Saved .*emby\.csv/ })
  t.match(await readFile(join(sandbox.folder, 'emby.csv'), 'utf8'), /title/i)
  t.match(
    await cli('read', [
      'export',
      '--provider',
      'MEDIAC',
      '--feature',
      'history',
      '--format',
      'yamtrack',
      '--out',
      'emby.csv',
    ]),
    { code: 2, errors: /exists already/ },
  )
  t.match(await cli('write', ['import', 'emby.csv', '--provider', 'SVC', '--dry-run']), {
    code: 0,
    output: /[1-9]\d* rows[\s\S]*history: [1-9]\d* add[\s\S]*dry run/,
  })
  t.match(await cli('write', ['import', 'emby.csv', '--provider', 'SVC']), {
    // The server has no ids for some films.
    code: 4,
    output: /history: [1-9]\d* done/,
  })
  t.match(await cli('write', ['import', 'emby.csv', '--provider', 'SVC']), {
    // The server has no ids for some films.
    code: 4,
    output: /history: \d+ already\n$/,
  })
  t.match(await cli('write', ['backup']), { code: 1, errors: /needs an API token with the scope "admin"/ })
  t.match(await cli('admin', ['backup', '--scope', 'config_only', '--out', 'saved.zip']), { code: 0, output: /Saved/ })
  t.ok((await stat(join(sandbox.folder, 'saved.zip'))).size > 100)
  t.equal((await stat(join(sandbox.folder, 'saved.zip'))).mode & 0o777, 0o600)

  // Removals that look like a mistake.
  const watched = jellyfin.items('Movie').filter(({ id }) => jellyfin.actions.userData('sam', id)?.played)
  const playedAtEmby = () => emby.items('Movie').filter(({ id }) => emby.actions.userData('sam', id)?.played).length
  const before = playedAtEmby()
  for (const { id } of watched) jellyfin.actions.markUnplayed('sam', id)
  const held = await cli('run', ['run'])
  t.match(held, {
    code: 3,
    output: /removals wait for your review\.\n +Attic, history: \d+ held \(.+\)\. Approve with: --approve \S+/,
  })
  t.equal(playedAtEmby(), before)
  t.equal((await cli('read', ['status'])).code, 3)
  const plan = /--approve (\S+)/.exec(held.output)?.[1] ?? ''
  t.match(await cli('run', ['run', '--approve', plan]), {
    code: 1,
    errors: /needs the scope "write"; this one has "run"/,
  })

  // On a terminal, the held removals are shown and a question is asked.
  const questions: string[] = []
  let written = ''
  const terminal = { columns: 80, write: (text: string) => void (written += text) }
  const asked = (answer: string) => ({
    terminal,
    ask: async (question: string) => {
      questions.push(question)
      return answer
    },
  })
  const declined = await cli('write', ['run'], asked('n'))
  t.match(declined, {
    code: 3,
    output: /removals from MEDIAC \(default\) are held[\s\S]*\n {2}- .+[\s\S]*and \d+ more[\s\S]*stays held/,
  })
  t.match(questions, [/^Remove \d+ from MEDIAC \(default\)\? \[y\/N\] $/])
  t.match(written, '\r\u001b[K')
  t.equal(playedAtEmby(), before)
  t.match(await cli('write', ['run'], asked('y')), { code: 0, output: /\d+ removed/ })
  t.ok(playedAtEmby() < before)

  // The running service creates tokens.
  const made = await cli('admin', ['token', 'create', 'Script', '--scope', 'read', '--days', '7', '--url', service.url])
  t.match(made, { code: 0, output: /^plh_[\w-]{43}\n$/ })
  t.match(await cli('admin', ['token', 'list', '--url', service.url]), { code: 0, output: /Script +read +20/ })
  t.match(await cli('admin', ['token', 'revoke', 'script', '--url', service.url]), {
    code: 0,
    output: /Revoked "Script"/,
  })
  t.notOk(
    service.log.some((line) => Object.values(secrets).some((secret) => line.includes(secret))),
    'no token in the log',
  )

  // Ctrl+C stops the run; a second one leaves it running.
  for (const { id } of watched) jellyfin.actions.markPlayed('sam', id, Date.now())
  const child = sandbox.start('run', '--url', service.url, '--token', secrets['run'] as string)
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  await until('the run has begun', () => /^Run \d/.test(output), 60_000)
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number]
  t.ok(code === 5 || code === 0 || code === 4, `ended with ${code}: ${output}`)
})

t.test('tokens of a stopped service are created in its data directory, and survive kill -9', async (t) => {
  await using sandbox = await openSandbox()
  const program = async (...args: string[]) => sandbox.program('token', ...args)
  t.match(await program('create', 'Early', '--scope', 'read'), {
    code: 1,
    errors: /Start this version of Playhead once/,
  })

  const start = async () => {
    const child = sandbox.start('start', '--safe')
    t.teardown(() => child.kill('SIGKILL'))
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => void (output += chunk.toString()))
    await until('it is up', () => output.includes('Playhead is ready'), 60_000)
    return { child, url: /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] as string }
  }
  const first = await start()
  const account = await fetch(`${first.url}/api/app-auth/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, username: 'ada', password: 'correct horse battery' }),
  })
  const cookie = account.headers.get('set-cookie')?.split(';')[0] as string
  t.match(await program('list'), {
    code: 1,
    errors: /Another Playhead uses this data directory .*\. Or let the running one do it: --url/,
  })
  const made = (await (
    await fetch(`${first.url}/api/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ name: 'Killed', scope: 'read' }),
    })
  ).json()) as { secret: string }
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const local = await program('create', 'Local', '--scope', 'read', '--json')
  t.equal(local.code, 0, local.errors)
  const { secret } = JSON.parse(local.output) as { secret: string }
  t.match(await program('list'), { code: 0, output: /Killed +read +never +never/ })
  t.match(await program('create', 'Local', '--scope', 'read'), { code: 1, errors: /already/ })
  t.match(await program('create', 'Odd', '--scope', 'root'), { code: 2, errors: /--scope read\|run\|write\|admin/ })

  const second = await start()
  const status = async (token: string) =>
    (await fetch(`${second.url}/api/plugins`, { headers: { authorization: `Bearer ${token}` } })).status
  t.same([await status(made.secret), await status(secret)], [403, 403], 'both are known; plugins need admin')
  second.child.kill('SIGTERM')
  await once(second.child, 'exit')
  t.match(await program('revoke', 'Killed'), { code: 0, output: 'Revoked "Killed".' })
  t.notMatch((await program('list')).output, 'Killed')
})
