// slow: the whole service, or very many cases
// Archives: created during writes, complete or refused, and archives from unknown sources.
import { randomBytes } from 'node:crypto'
import { sealText } from '../../../core/config/secrets/sealed-text.ts'
import { openVault } from '../../../core/storage/vault.ts'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { copyFile, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc, { runsOf } from '../../fast-check.ts'
import t from 'tap'
import { until } from '../../harness.ts'
import {
  create,
  dataOf,
  databasesOf,
  download,
  filesIn,
  manifest,
  type Member,
  openWorld,
  post,
  upload,
  type World,
  validate,
  zip,
} from './world.ts'

t.setTimeout(900_000)

const own = (world: World) =>
  filesIn(world, '.').filter((path) => !/^(run|cache|files\/backups)\/|-(wal|shm)$/.test(path))

t.test('property 47: a backup of every scope is valid, even while files and databases are being written', async (t) => {
  await using world = await openWorld()
  await post(world, '/api/keeper', { text: 'first' })
  let isOver = false
  const writing = ['a', 'b', 'c'].map(async (who) => {
    for (let turn = 0; !isOver; turn += 1) {
      await post(world, '/api/keeper', { text: `${who}${turn}`.padEnd(3_000, who) })
      await post(world, '/api/config', { [`of_${who}`]: { turn, api_key: `secret-${who}-${turn}` } })
    }
  })
  for (const scope of ['config_only', 'app_state', 'full']) {
    for (const passphrase of [undefined, 'a long passphrase']) {
      const backup = await create(world, { scope, passphrase })
      t.match(await validate(world, backup.path, passphrase), { ok: true, errors: [], restorable: true }, scope)
      t.match(backup, { scope, encrypted: passphrase !== undefined, master_key_included: true, warnings: [] })
      if (scope === 'config_only' || passphrase !== undefined) continue
      // Databases have all rows of one moment, including those that are still in their write-ahead logs.
      const files = await databasesOf(await download(world, backup.path), t.testdir({}))
      for (const [path, file] of files) {
        using database = new DatabaseSync(file, { readOnly: true })
        t.same(database.prepare('PRAGMA integrity_check').all(), [{ integrity_check: 'ok' }], path)
      }
      const rows = (path: string, table: string) => {
        using database = new DatabaseSync(files.get(path)!, { readOnly: true })
        return database.prepare(`SELECT text FROM ${table}`).all()
      }
      t.match(rows('databases/keeper/own.sqlite', 'word'), [{ text: String }])
      t.match(rows('database.sqlite', 'keeper__word'), [{ text: String }])
    }
  }
  isOver = true
  await Promise.all(writing)
  const listed = (await world.json('/api/backups/list')).body.backups
  t.equal(listed.length, 6)
  t.ok(listed.every(({ valid }: { valid: boolean }) => valid))
  t.same(filesIn(world, 'run/scratch'), [], 'nothing is left')
  const lines = world.log.join('')
  t.notMatch(lines, 'a long passphrase')
})

t.test('without the key the archive states that it is needed, and its manifest lists the content', async (t) => {
  await using world = await openWorld()
  await post(world, '/api/config', { mine: { api_key: 'very secret' } })
  const without = await create(world, { include_key: false, label: ' My label/../x ', pinned: true })
  t.match(without, { master_key_included: false, external_key_required: true, label: 'My-label..x' })
  const { manifest: list } = await validate(world, without.path)
  t.match(list, {
    kind: 'svc_backup',
    app_version: String,
    pinned: true,
    plugins: [{ id: 'backups' }, { id: 'keeper' }],
    db_schema_versions: {
      'database.sqlite': { core: Number, keeper: 1 },
      'databases/keeper/own.sqlite': { keeper: 1 },
    },
  })
  t.notOk(list.files.some(({ path }: { path: string }) => path === 'secret.key' || path.startsWith('files/')))
  const full = (await validate(world, (await create(world, { scope: 'full' })).path)).manifest
  t.notOk(full.files.some(({ path }: { path: string }) => /^(files\/backups|run|cache|restore)\//.test(path)))
})

t.test(
  'property 50: a flipped byte of a member, or a changed hash, size or path, is detected, and nothing is restored',
  async (t) => {
    await using world = await openWorld()
    await post(world, '/api/keeper', { text: 'kept' })
    const plain = await create(world, { scope: 'full' })
    const secret = await create(world, { scope: 'config_only', passphrase: 'a long passphrase' })
    const before = own(world)
    for (const { path, passphrase } of [
      { path: plain.path, passphrase: undefined },
      { path: secret.path, passphrase: 'a long passphrase' },
    ]) {
      const file = join(dataOf(world), 'files/backups', path)
      const bytes = await readFile(file)
      const list = (await validate(world, path, passphrase)).manifest
      const spans = dataSpans(bytes)
      const positions = fc.integer({ min: 0, max: spans.length - 1 }).chain((index) => {
        const [from, to] = spans[index] as [number, number]
        return fc.integer({ min: from, max: to - 1 })
      })
      await fc.assert(
        fc.asyncProperty(positions, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
          const flipped = Buffer.from(bytes)
          flipped[at] = (flipped[at] as number) ^ (1 << bit)
          await writeFile(file, flipped)
          const report = await validate(world, path, passphrase)
          // A bit that the compression does not use changes nothing.
          if (report.ok) return JSON.stringify(report.manifest) === JSON.stringify(list)
          return report.restorable === false && report.errors.length > 0
        }),
        { numRuns: runsOf(passphrase === undefined ? 120 : 8) },
      )
      const flipped = Buffer.from(bytes)
      flipped[(spans[0] as [number, number])[0] + 5]! ^= 0xff
      await writeFile(file, flipped)
      const answer = await post(world, '/api/backups/restore', { path, passphrase })
      t.match(answer, {
        status: 400,
        body: { ok: false, error: 'backup_validation_failed', errors: [{ code: String }] },
      })
      await writeFile(file, bytes)
    }
    t.same(own(world), before)
    t.equal((await post(world, '/api/config', { still: 'writable' })).status, 200)

    const files = [{ path: 'config.json', content: '{}', group: 'config' }]
    const row = {
      path: 'config.json',
      size: 2,
      sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
      group: 'config',
    }
    for (const [changed, code] of [
      [{ sha256: row.sha256.replace('4', '5') }, 'hash_mismatch'],
      [{ sha256: 'not a hash' }, 'invalid_hash'],
      [{ size: 3 }, 'size_mismatch'],
      [{ path: 'config.jsom' }, 'missing_member'],
      [{ group: 'cache' }, 'out_of_scope'],
    ] as const) {
      const total = { total_size: 'size' in changed ? changed.size : 2 }
      const answer = await upload(
        world,
        zip([
          { name: 'config.json', content: '{}' },
          { name: 'manifest.json', content: manifest(files, { files: [{ ...row, ...changed }], ...total }) },
        ]),
      )
      t.match(answer, { status: 400, body: { ok: false, error: 'invalid_backup' } }, code)
      t.ok(
        answer.body.errors.some((error: { code: string }) => error.code === code),
        `${code}: ${JSON.stringify(answer.body.errors)}`,
      )
    }
  },
)

/** Positions of the compressed bytes of the members. */
function dataSpans(bytes: Buffer): readonly (readonly [number, number])[] {
  const spans: [number, number][] = []
  const end = bytes.lastIndexOf('PK\x05\x06', bytes.length, 'latin1')
  let at = bytes.readUInt32LE(end + 16)
  while (bytes.toString('latin1', at, at + 4) === 'PK\x01\x02') {
    const [packed, name, extra, comment] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt16LE(at + 32),
    ]
    const local = bytes.readUInt32LE(at + 42)
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    if (packed > 0) spans.push([start, start + packed])
    at += 46 + name + extra + comment
  }
  return spans
}

const GOOD = { path: 'config.json', content: '{}', group: 'config' }
const good: Member = { name: 'config.json', content: '{}' }
const listOf = (...files: { path: string; content: string; group: string }[]): Member => ({
  name: 'manifest.json',
  content: manifest(files),
})
const named = (path: string): readonly Member[] => [
  { name: path, content: 'evil' },
  listOf({ path, content: 'evil', group: 'config' }),
]
const changed = (change: object): readonly Member[] => [
  good,
  { name: 'manifest.json', content: manifest([GOOD], change) },
]
const KEY_TEXT = `playhead-key:v1:${Buffer.alloc(32, 7).toString('base64url')}\n`
/** Settings with a value that the key decrypts. */
const sealed = (key: Buffer) =>
  sealText({ mine: { api_key: 'secret' } }, () => true, openVault({ keyFile: '', keys: [key] }), new Map()).text
const withKey = (key: string, settings: string | null): readonly Member[] => {
  const files = [
    { path: 'secret.key', content: key, group: 'key' },
    ...(settings === null ? [] : [{ path: 'config.json', content: settings, group: 'config' }]),
  ]
  const groups = files.map(({ group }) => group)
  return [
    ...files.map(({ path, content }) => ({ name: path, content })),
    { name: 'manifest.json', content: manifest(files, { groups }) },
  ]
}
const MIB = 1024 * 1024

/** The second file overlaps the first. */
function nested(): Buffer {
  const inner = { name: 'files/captures/b', content: 'bb' }
  const record = (member: Member) => 30 + member.name.length + member.content.length
  const outer = { name: 'files/captures/a', content: zip([inner]).subarray(0, record(inner)) }
  const rows = [outer, inner].map(({ name, content }) => ({
    path: name,
    content: content as string,
    group: 'captures',
  }))
  const members = [outer, inner, listOf(...rows)]
  const bytes = zip(members)
  const at = record(outer)
  const without = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + record(inner))])
  const central = without.lastIndexOf('PK\x05\x06', without.length, 'latin1')
  const directory = without.readUInt32LE(central + 16) - record(inner)
  without.writeUInt32LE(directory, central + 16)
  const second = directory + 46 + outer.name.length
  without.writeUInt32LE(30 + outer.name.length, second + 42)
  const third = second + 46 + inner.name.length
  without.writeUInt32LE(without.readUInt32LE(third + 42) - record(inner), third + 42)
  return without
}

const HOSTILE: Readonly<Record<string, readonly [members: readonly Member[] | Buffer, code: string | RegExp]>> = {
  traversal: [named('../evil'), 'unsafe_path'],
  'traversal within': [named('files/captures/../../../evil'), 'unsafe_path'],
  absolute: [named('/etc/evil'), 'unsafe_path'],
  'a drive letter': [named('C:/evil'), 'unsafe_path'],
  'a backslash': [named('files\\captures\\evil'), 'unsafe_path'],
  'a NUL': [named('files/captures/a\0b'), 'unsafe_path'],
  'a long path': [named(`files/captures/${'x/'.repeat(20)}x`), 'path_too_long'],
  'a name of 600 characters': [named(`files/captures/${'x'.repeat(600)}`), 'path_too_long'],
  'an unknown packing': [[{ ...good, method: 14 }, listOf(GOOD)], 'unsupported_member'],
  'a symbolic link': [[{ ...good, mode: 0o120777 }, listOf(GOOD)], 'symlink_member'],
  'a device': [[{ ...good, mode: 0o020666 }, listOf(GOOD)], 'symlink_member'],
  'a folder': [[good, { name: 'files/captures/', content: '' }, listOf(GOOD)], 'directory_member'],
  duplicates: [[good, { ...good, content: '[]' }, listOf(GOOD)], 'duplicate_member'],
  'a file twice in the list': [[good, listOf(GOOD, GOOD)], 'duplicate_member'],
  'an undeclared member': [[good, { name: 'secret.key', content: 'x' }, listOf(GOOD)], 'undeclared_member'],
  'an undeclared database': [[good, { name: 'store.sqlite', content: 'x' }, listOf(GOOD)], 'undeclared_member'],
  'a bomb': [
    [
      { name: 'database.sqlite', content: Buffer.alloc(64 * MIB), deflate: true },
      listOf({ path: 'database.sqlite', content: '', group: 'state' }),
    ],
    'packed_too_well',
  ],
  'a bomb that lies': [
    [
      { name: 'database.sqlite', content: Buffer.alloc(64 * MIB), deflate: true, size: 4 },
      listOf({ path: 'database.sqlite', content: 'abcd', group: 'state' }),
    ],
    /size_mismatch|archive_damaged/,
  ],
  'an encrypted member': [[{ ...good, encrypted: true }, listOf(GOOD)], 'encrypted_member'],
  'no list': [[good], 'manifest_missing'],
  'a list that is no JSON': [[good, { name: 'manifest.json', content: '{' }], 'invalid_manifest'],
  'a list of null': [[good, { name: 'manifest.json', content: 'null' }], 'wrong_kind'],
  'a list without files': [changed({ files: undefined }), 'invalid_manifest'],
  'a list of nothing': [[listOf()], 'invalid_manifest'],
  'a list of nothing that replaces everything': [
    [{ name: 'manifest.json', content: manifest([], { groups: ['config', 'key', 'tls', 'state', 'tracker'] }) }],
    'missing_member',
  ],
  'state without its database': [changed({ groups: ['config', 'state'] }), 'missing_member'],
  'settings without config.json': [
    [
      { name: 'secret.key', content: 'k' },
      {
        name: 'manifest.json',
        content: manifest([{ path: 'secret.key', content: 'k', group: 'key' }], { groups: ['config', 'key'] }),
      },
    ],
    'missing_member',
  ],
  'a key without settings, which would lock those that are here': [withKey(KEY_TEXT, null), 'missing_member'],
  'a key file that is none': [withKey('k', '{}'), 'key_unusable'],
  'the key of other settings': [withKey(KEY_TEXT, sealed(randomBytes(32))), 'key_unusable'],
  'an empty list': [[good, { name: 'manifest.json', content: '' }], 'invalid_manifest'],
  'a list of 33 MiB': [
    [good, { name: 'manifest.json', content: manifest([GOOD]) + ' '.repeat(33 * MIB) }],
    'invalid_manifest',
  ],
  'a file that is not there': [
    [good, listOf(GOOD, { path: 'files/captures/a', content: 'a', group: 'captures' })],
    'missing_member',
  ],
  'a wrong kind': [changed({ kind: 'other_backup' }), 'wrong_kind'],
  'a newer schema': [changed({ schema_version: 2 }), 'unsupported_schema'],
  'a newer version': [changed({ app_version: '99.0.0', min_app_version: '99.0.0' }), 'newer_version'],
  'newer tables': [changed({ db_schema_versions: { 'database.sqlite': { core: 10_000 } } }), 'newer_version'],
  'sums that lie': [changed({ total_size: 7 }), 'invalid_manifest'],
  'a place that is none': [named('run/lock.sqlite'), 'invalid_target'],
  'a group beyond its scope': [changed({ scope: 'config_only', groups: ['config', 'state'] }), 'out_of_scope'],
  'exports beyond its scope': [changed({ groups: ['config', 'state', 'exports'] }), 'out_of_scope'],
  'all backups': [changed({ scope: 'full', groups: ['config', 'backups'] }), 'out_of_scope'],
  'code of plugins': [named('plugins/installed/files/evil.js'), 'invalid_target'],
  'compiled code': [named('cache/plugins/evil.js'), 'invalid_target'],
  'another backup': [named('files/backups/evil.zip'), 'invalid_target'],
  'data after the end': [zip([good, listOf(GOOD)], { after: 'more' }), 'archive_damaged'],
  'a file within another': [nested(), 'archive_damaged'],
  '64-bit fields that lie': [zip([good, listOf(GOOD)], { zip64: true }).fill(0xff, 62, 70), 'archive_damaged'],
  'half of one with 64-bit fields': [zip([good, listOf(GOOD)], { zip64: true }).subarray(0, -30), 'archive_damaged'],
  'no archive': [Buffer.from('not a zip at all'), 'archive_damaged'],
  nothing: [Buffer.alloc(0), 'archive_damaged'],
  'half of one': [zip([good, listOf(GOOD)]).subarray(0, 60), 'archive_damaged'],
  '100,001 members': [
    zip(Array.from({ length: 100_001 }, (_unused, index) => ({ name: `files/captures/${index}`, content: '' }))),
    /too_many_members|archive_damaged/,
  ],
}

t.test('property 51: foreign archives are refused; nothing is written or left behind', async (t) => {
  await using world = await openWorld()
  const own = () => filesIn(world, '.').filter((path) => !/^(run\/|cache\/)|-(wal|shm)$/.test(path))
  t.match(await upload(world, zip([good, listOf(GOOD)])), {
    status: 200,
    body: { backup: { validation: { ok: true } } },
  })
  const fitting = withKey(KEY_TEXT, sealed(Buffer.alloc(32, 7)))
  t.match(await upload(world, zip(fitting)), { status: 200, body: { backup: { validation: { ok: true } } } })
  const before = own()
  for (const [name, [members, code]] of Object.entries(HOSTILE)) {
    const bytes = Buffer.isBuffer(members) ? members : zip(members)
    const answer = await upload(world, bytes)
    t.equal(answer.status, 400, name)
    t.match(answer.body.errors?.[0]?.code, code, `${name}: ${JSON.stringify(answer.body.errors)}`)
    // The same archive, placed among the backups.
    const file = join(dataOf(world), 'files/backups/planted.zip')
    await writeFile(file, bytes)
    t.match(await validate(world, 'planted.zip'), { ok: false, restorable: false }, name)
    t.match(
      await post(world, '/api/backups/restore', { path: 'planted.zip' }),
      { status: 400, body: { ok: false } },
      name,
    )
    t.match(await world.json('/api/backups/list'), { status: 200 })
    t.equal((await post(world, '/api/backups/delete', { path: 'planted.zip' })).status, 200)
    t.same(own(), before, `${name}: nothing is left`)
    t.same(filesIn(world, 'run/scratch'), [], name)
  }
  t.equal((await world.plugin('backups')).faults, 0)
})

t.test('older versions and other plugins are reported, and cause no refusal', async (t) => {
  await using world = await openWorld()
  const plugins = [
    { id: 'gone', version: '1.0.0' },
    { id: 'keeper', version: '99.0.0' },
  ]
  const older = changed({ app_version: '0.0.1', min_app_version: '0.0.0', plugins, warnings: ['A note.'] })
  const { status, body } = await upload(world, zip(older))
  t.equal(status, 200, JSON.stringify(body))
  t.match(body.backup.validation, { ok: true, restorable: true, checks: { versions: 'warning' } })
  t.same(
    body.backup.validation.warnings.map(({ code }: { code: string }) => code),
    ['older_version', 'plugin_missing', 'plugin_older', 'noted'],
  )
})

t.test('archives with 64-bit fields, and with more files than 16 bits count, are read', async (t) => {
  await using world = await openWorld()
  const small = zip([good, listOf(GOOD)], { zip64: true })
  t.match(await upload(world, small), { status: 200, body: { backup: { validation: { ok: true, restorable: true } } } })
  // Test as many captures as after many years, within the memory of a thread.
  const files = Array.from({ length: 66_000 }, (_, index) => ({
    path: `files/captures/2026-${index % 500}/20261125T123609Z__PLEX__default__history__nightly__${index}.ndjson.gz`,
    content: '',
    group: 'captures',
  }))
  const list = { name: 'manifest.json', content: manifest(files, { groups: ['captures'] }), deflate: true }
  const bytes = zip([...files.map(({ path: name, content }) => ({ name, content })), list], { zip64: true })
  const { status, body } = await upload(world, bytes)
  t.match(
    { status, body },
    { status: 200, body: { backup: { validation: { ok: true, manifest: { file_count: 66_000 } } } } },
    JSON.stringify(body).slice(0, 500),
  )
})

t.test('property 54: an upload is downloaded with the same bytes, and a failing one leaves no file', async (t) => {
  await using world = await openWorld()
  const made = await create(world)
  const bytes = await download(world, made.path)
  const answer = await upload(world, bytes)
  t.match(answer, {
    status: 200,
    body: { ok: true, backup: { path: /^imported\/\d{4}-\d\d-\d\d\/playhead-import-.*\.zip$/ } },
  })
  t.ok((await download(world, answer.body.backup.path)).equals(bytes))
  const before = filesIn(world, '.').filter((path) => !/^(run|cache)\/|-(wal|shm)$/.test(path))
  t.match(await upload(world, bytes, 'backup.tar'), { status: 400, body: { error: 'invalid_path' } })
  t.match(await world.json('/api/backups/upload', { method: 'POST', body: new FormData() }), { status: 400 })
  const other = new FormData()
  other.append('other', new Blob([bytes as never]), 'a.zip')
  t.match(await world.json('/api/backups/upload', { method: 'POST', body: other }), {
    status: 400,
    body: { error: 'file_required' },
  })
  // A client that disconnects in the middle of the body.
  const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n${'z'.repeat(100_000)}`
  const leaving = new AbortController()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(Buffer.from(body))
      await new Promise((resolve) => setTimeout(resolve, 50))
      leaving.abort()
      // Without an error, the test client would continue reading.
      controller.error(new Error('left'))
    },
  })
  await t.rejects(
    world.call('/api/backups/upload', {
      method: 'POST',
      body: stream,
      signal: leaving.signal,
      duplex: 'half',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    } as never),
  )
  await post(world, '/api/config', { plugins: { backups: { max_archive_mib: 1, max_unpacked_mib: 1 } } })
  mkdirSync(join(dataOf(world), 'files/captures'), { recursive: true })
  writeFileSync(join(dataOf(world), 'files/captures/noise.bin'), randomBytes(3 * 1024 * 1024))
  const own = await create(world, { scope: 'full' })
  t.match(await validate(world, own.path), { ok: true }, 'what was made here has no such limit')
  const copy = await upload(world, await download(world, own.path))
  t.equal(copy.status, 413, 'what is uploaded has one')
  await rm(join(dataOf(world), 'files/captures/noise.bin'))
  await post(world, '/api/backups/delete', { path: own.path })
  t.match(await upload(world, Buffer.alloc(3 * 1024 * 1024)), { status: 413, body: { error: 'upload_too_large' } })
  // Below the limit of the archive, above that of its files; and a file that is not a backup.
  const halves = randomBytes(1.5 * MIB).map((byte) => byte & 1)
  for (const [members, code] of [
    [[{ name: 'database.sqlite', content: halves, deflate: true }, listOf(GOOD)], 'too_large_unpacked'],
    [[good], 'manifest_missing'],
  ] as const)
    t.match(await upload(world, zip(members)), { status: 400, body: { error: 'invalid_backup', errors: [{ code }] } })
  t.same(filesIn(world, 'run/scratch'), [])
  await new Promise((resolve) => setTimeout(resolve, 200))
  t.same(
    filesIn(world, '.').filter((path) => !/^(run|cache)\/|-(wal|shm)$/.test(path)),
    before,
  )
})

t.test('paths that lead elsewhere are refused, and missing backups are not found', async (t) => {
  await using world = await openWorld()
  for (const path of [
    '../config.json',
    '../x.zip',
    '/etc/x.zip',
    'a/../../x.zip',
    'C:/x.zip',
    'x.json',
    'a//b.zip',
    './x.zip',
  ]) {
    for (const route of ['validate', 'restore', 'delete'])
      t.match(
        await post(world, `/api/backups/${route}`, { path }),
        { status: 400, body: { error: 'invalid_path' } },
        `${route} ${path}`,
      )
    t.equal((await world.json(`/api/backups/download?path=${encodeURIComponent(path)}`)).status, 400)
  }
  for (const route of ['validate', 'restore', 'delete'])
    t.match(await post(world, `/api/backups/${route}`, { path: 'a/b.zip' }), {
      status: 404,
      body: { error: 'backup_not_found' },
    })
  // Symbolic links in the path and at its end: their targets are neither read nor deleted.
  const made = await create(world, {})
  const [outside, inside] = [join(world.directory, 'outside'), join(dataOf(world), 'files/backups')]
  mkdirSync(outside)
  await copyFile(join(inside, made.path), join(outside, 'a.zip'))
  await symlink(outside, join(inside, 'linked'))
  await symlink(join(outside, 'a.zip'), join(inside, 'linked.zip'))
  for (const path of ['linked/a.zip', 'linked.zip']) {
    for (const route of ['validate', 'restore', 'delete'])
      t.match(
        await post(world, `/api/backups/${route}`, { path }),
        { status: 404, body: { error: 'backup_not_found' } },
        `${route} ${path}`,
      )
    t.equal((await world.json(`/api/backups/download?path=${path}`)).status, 404)
  }
  t.same(
    (await world.json('/api/backups/list')).body.backups.map(({ path }: { path: string }) => path),
    [made.path],
  )
  t.ok(await readFile(join(outside, 'a.zip')))
  t.match(await world.json('/api/backups/download?path=a.zip'), { status: 404, body: { error: 'backup_not_found' } })
  t.match(await post(world, '/api/backups/create', { scope: 'all' }), { status: 400, body: { error: 'invalid_scope' } })
  t.equal((await post(world, '/api/backups/create', { passphrase: 'short' })).status, 422)
  t.match(await world.json('/api/backups/create', { method: 'POST' }), {
    status: 200,
    body: { backup: { scope: 'app_state', label: 'manual', master_key_included: true } },
  })
})

t.test('a failed backup is reported on the bus, with a reason, and leaves no file', async (t) => {
  await using world = await openWorld()
  // A file is in the place of the archive folder.
  const folder = join(world.directory, 'data', 'files', 'backups')
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  const { status } = await post(world, '/api/backups/create', { label: 'nightly' })
  t.ok(status >= 400)
  const [told, ...more] = world.events.recent({ name: 'backup.failed' })
  t.match(told, { source: 'backups', data: { label: 'nightly', trigger: 'manual', reason: String } })
  t.same(more, [])
  t.same(world.events.recent({ name: 'backup.created' }), [])
  t.equal(await readFile(folder, 'utf8'), '')
})

t.test('a large backup is answered at once, and created afterwards', async (t) => {
  await using world = await openWorld()
  const captures = join(dataOf(world), 'files/captures')
  mkdirSync(captures, { recursive: true })
  writeFileSync(join(captures, 'large.bin'), '')
  truncateSync(join(captures, 'large.bin'), 201 * 1024 * 1024)
  const { status, body } = await post(world, '/api/backups/create', { scope: 'full', label: 'large' })
  t.match(
    { status, body },
    { status: 202, body: { ok: true, job: { kind: 'backup', state: 'running', label: 'large' } } },
  )
  t.match(await post(world, '/api/backups/create', { scope: 'all' }), { status: 400 })
  const done: number[] = []
  const job = await until(
    'it is made',
    async () => {
      const { job } = (await world.json('/api/backups/job')).body
      done.push(job.done_bytes)
      return job.state === 'running' ? undefined : job
    },
    120_000,
  )
  t.match(job, { state: 'done', path: /\.zip$/, done_bytes: job.total_bytes }, JSON.stringify(job))
  t.same(
    done,
    done.toSorted((a, b) => a - b),
    'its progress never goes back',
  )
  t.match(await validate(world, job.path), { ok: true, manifest: { label: 'large' } })
})
