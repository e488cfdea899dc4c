// Lists and archives that are refused, each with its own reason. The last good list stays in use, and nothing is
// half installed.
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isPlayheadError, type CatalogueEntry, type Logger } from '@playhead/sdk'
import t, { type Test } from 'tap'
import { createDirectory } from '../../core/packages/directory.ts'
import { createPackages } from '../../core/packages/packages.ts'
import { tarball } from '../packages/tarballs.ts'
import { catalogueOf, createSigner, makePlugin, NOW_MS } from './catalogues.ts'

const signer = createSigner()
const { archive, entry, version } = makePlugin()

async function open(t: Test, keys: Readonly<Record<string, string>> = signer.keys) {
  const data = await mkdtemp(join(tmpdir(), 'playhead-faulty-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const files = {
    bundledRegistry: join(data, 'bundled.json'),
    userRegistry: join(data, 'plugin-registry.json'),
    packages: join(data, 'installed'),
  }
  let now = NOW_MS
  const nowMs = () => now
  const packages = createPackages({ files, npm: () => Promise.reject(new Error('no npm')), nowMs })
  const kept = join(data, 'kept.json')
  const create = () =>
    createDirectory({
      places: {
        shippedCatalogue: join(data, 'catalogue.json'),
        shippedPlugins: join(data, 'shipped'),
        keptCatalogue: kept,
        catalogueKeys: keys,
      },
      ...{ files, packages, nowMs, log: { warn() {} } as unknown as Logger },
      apply: async () => true,
    })
  return {
    data,
    kept,
    create,
    setClock: (ms: number) => void (now = ms),
    directory: create(),
    registry: async () => JSON.parse(await readFile(files.userRegistry, 'utf8').catch(() => '{"plugins":[]}')).plugins,
    installed: async () => (await readdir(files.packages, { recursive: true }).catch(() => [])).sort(),
  }
}

const good = () => catalogueOf([entry], { serial: 5 })
const withEntry = (edit: Partial<CatalogueEntry>) => catalogueOf([{ ...entry, ...edit }], { serial: 6 })
const withVersion = (edit: object) => withEntry({ versions: [{ ...version, ...edit }] })
const archiveLike = (edit: object) => withVersion({ archive: { ...version.archive, ...edit } })
const text = (value: object) => JSON.stringify(value)
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

const stranger = createSigner('stranger')
const impostor = createSigner('test')

/** The offered file, the wire code, and the reason. */
const FAULTS: Readonly<Record<string, readonly [file: Buffer, wire: string, reason: RegExp]>> = {
  'not JSON': [Buffer.from('<html>502 Bad Gateway</html>'), 'catalogue_invalid', /the file is not JSON/],
  'not UTF-8': [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'catalogue_invalid', /not UTF-8/],
  'too large': [Buffer.alloc(1024 * 1024 + 1, 0x20), 'catalogue_too_large', /larger than 1 MiB/],
  'no signature at all': [Buffer.from(text({ signed: text(good()) })), 'catalogue_invalid', /the file signatures/],
  'an empty list of signatures': [
    signer.file(good(), (file) => ({ ...file, signatures: [] })),
    'catalogue_invalid',
    /the file signatures/,
  ],
  'the list beside the text that is signed': [
    signer.file(good(), (file) => ({ ...file, signed: good() })),
    'catalogue_invalid',
    /the file signed/,
  ],
  'an unknown key': [stranger.file(good()), 'catalogue_unknown_key', /"stranger"/],
  'a key named like a member of every object': [
    signer.file(good(), ({ signed, signatures: [one] }) => ({ signed, signatures: [{ ...one, key: 'constructor' }] })),
    'catalogue_unknown_key',
    /"constructor"/,
  ],
  'a stranger with the name of a known key': [impostor.file(good()), 'catalogue_signature', /does not belong/],
  'a signature of other bytes': [
    signer.file({ ...good(), serial: 9 }, (file) => ({
      ...file,
      signatures: [{ key: 'test', signature: signer.signatureOf(text(good())) }],
    })),
    'catalogue_signature',
    /does not belong/,
  ],
  'one changed letter': [
    signer.file(good(), (file) => ({ ...file, signed: file.signed.replace('Boils', 'Spoils') })),
    'catalogue_signature',
    /does not belong/,
  ],
  'the same words with another space': [
    signer.file(good(), (file) => ({ ...file, signed: `${file.signed} ` })),
    'catalogue_signature',
    /does not belong/,
  ],
  'a signature that is cut off': [
    signer.file(good(), ({ signed, signatures: [{ signature }] }) => ({
      signed,
      signatures: [{ key: 'test', signature: signature.slice(0, 40) }],
    })),
    'catalogue_signature',
    /does not belong/,
  ],
  'a signature in another spelling of base64': [
    signer.file(good(), ({ signed, signatures: [{ signature }] }) => ({
      signed,
      signatures: [{ key: 'test', signature: `${signature}\n` }],
    })),
    'catalogue_signature',
    /does not belong/,
  ],
  'another algorithm': [
    signer.file(good(), ({ signed }) => ({
      signed,
      signatures: [{ key: 'test', algorithm: 'none', signature: createHash('sha256').update(signed).digest('base64') }],
    })),
    'catalogue_invalid',
    /algorithm/,
  ],
  'signed words that are not JSON': [signer.file('{'), 'catalogue_invalid', /what is signed is not JSON/],
  'signed words that are null': [signer.file('null'), 'catalogue_invalid', /what is signed/],
  'a later format': [signer.file({ ...good(), format: 2 }), 'catalogue_newer_format', /later Playhead/],
  'a member of every prototype': [
    signer.file(text(good()).replace('"kind":', '"__proto__":{"admin":true},"kind":')),
    'catalogue_invalid',
    /__proto__/,
  ],
  'very deep': [signer.file({ ...good(), more: nested(20) }), 'catalogue_invalid', /nested deeper than 12/],
  'a number that is none': [signer.file({ ...good(), serial: '6' }), 'catalogue_invalid', /serial/],
  'a number that is too large': [signer.file({ ...good(), serial: 2 ** 53 }), 'catalogue_invalid', /serial/],
  'an older catalogue': [signer.file({ ...good(), serial: 4 }), 'catalogue_older', /number is 4.*5 is known/],
  'another one with the same number': [
    signer.file({ ...good(), date: '2026-11-21T10:00:00Z' }),
    'catalogue_changed',
    /same number 5/,
  ],
  'a date to come': [
    signer.file({ ...good(), serial: 6, date: '2027-06-01T00:00:00Z' }),
    'catalogue_date',
    /still to come/,
  ],
  'a date before there were any': [
    signer.file({ ...good(), serial: 6, date: '1999-01-01T00:00:00Z' }),
    'catalogue_date',
    /before there were/,
  ],
  'a day that there is not': [
    signer.file({ ...good(), serial: 6, date: '2026-02-30T00:00:00Z' }),
    'catalogue_date',
    /no date 2026-02-30/,
  ],
  'a version of tomorrow': [
    signer.file(withVersion({ date: '2026-11-25' })),
    'catalogue_date',
    /after that of the list/,
  ],
  'a plugin twice': [
    signer.file(catalogueOf([entry, entry], { serial: 6 })),
    'catalogue_invalid',
    /kettle is in it twice/,
  ],
  'a version twice': [signer.file(withEntry({ versions: [version, version] })), 'catalogue_invalid', /1\.0\.0 twice/],
  'versions upside down': [
    signer.file(withEntry({ versions: [version, { ...version, version: '1.1.0' }] })),
    'catalogue_invalid',
    /1\.1\.0 after 1\.0\.0/,
  ],
  'an id that leads out': [signer.file(withEntry({ id: '../../etc' })), 'catalogue_invalid', /entry 1 id/],
  'an archive that leads out': [signer.file(archiveLike({ file: '../evil.tgz' })), 'catalogue_invalid', /archive/],
  'an archive at another address': [
    signer.file(archiveLike({ file: 'http://evil.example/x.tgz' })),
    'catalogue_invalid',
    /archive/,
  ],
  'a source without https': [
    signer.file(withEntry({ source: 'http://example.org/kettle' })),
    'catalogue_invalid',
    /source/,
  ],
  'a source that runs': [signer.file(withEntry({ source: 'javascript:alert(1)' })), 'catalogue_invalid', /source/],
  'a checksum that is none': [signer.file(archiveLike({ sha512: 'md5-abc' })), 'catalogue_invalid', /archive/],
  'an archive of 30 MiB': [signer.file(archiveLike({ size: 30 * 1024 * 1024 })), 'catalogue_invalid', /archive/],
  'no archive': [signer.file(withVersion({ archive: null })), 'catalogue_invalid', /has no archive/],
  'a part of Playhead with an archive': [
    signer.file(withEntry({ builtIn: true })),
    'catalogue_invalid',
    /is built in and has an archive/,
  ],
  'a host with a path': [
    signer.file(withVersion({ asks: ['host http://example.org/x'] })),
    'catalogue_invalid',
    /names no host/,
  ],
  'more points than possible': [
    signer.file(withVersion({ conformance: { points: 9, possible: 8, sdk: '1.0.0', date: '2026-11-20' } })),
    'catalogue_invalid',
    /9 points of 8/,
  ],
  'a range that is none': [signer.file(withVersion({ api: 'newest' })), 'catalogue_invalid', /not a range/],
  'a level that there is not': [signer.file(withVersion({ level: 'diamond' })), 'catalogue_invalid', /level/],
  'a mark with a script in it': [
    signer.file(withEntry({ mark: { color: '#123456', path: '"/><script>' } })),
    'catalogue_invalid',
    /mark/,
  ],
  'withdrawn without a reason': [
    signer.file(withVersion({ withdrawn: { date: '2026-11-20' } })),
    'catalogue_invalid',
    /withdrawn/,
  ],
  'a plugin without versions': [signer.file(withEntry({ versions: [] })), 'catalogue_invalid', /versions/],
}

t.test('faulty lists are refused with their reasons, and the last good one stays', async (t) => {
  const { directory, kept, create } = await open(t)
  t.equal(await directory.catalogue(), null)
  t.equal(await directory.offer(signer.file(good())), true)
  const bytes = await readFile(kept)
  for (const [name, [file, wire, reason]] of Object.entries(FAULTS)) {
    const error = await directory.offer(file).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (!isPlayheadError(error)) {
      t.fail(`${name}: ${error === null ? 'it is taken' : String(error)}`)
      continue
    }
    t.same([error.code, error.wire], ['PLH_INVALID', wire], name)
    t.match(error.message, reason, name)
    t.match(error.message, /^The list was refused: /, name)
    t.same((await directory.catalogue())?.catalogue.serial, 5, name)
  }
  t.ok(Object.keys(FAULTS).length >= 40)
  t.same(await readFile(kept), bytes)
  t.equal(await directory.offer(signer.file(good())), false, 'the same one again')
  t.match(await create().catalogue(), { from: 'fetched', catalogue: { serial: 5 } }, 'after a start')
  t.equal(await directory.offer(signer.file({ ...good(), serial: 7, unknown: { of: 'a later version' } })), true)
})

t.test('the list that ships counts, too', async (t) => {
  const { data, create, kept } = await open(t)
  await writeFile(join(data, 'catalogue.json'), signer.file({ ...good(), serial: 8 }))
  await writeFile(kept, signer.file({ ...good(), serial: 6 }))
  const directory = create()
  t.match(await directory.catalogue(), { from: 'shipped', catalogue: { serial: 8 } })
  await t.rejects(directory.offer(signer.file({ ...good(), serial: 7 })), {
    wire: 'catalogue_older',
  } as object as Error)

  // A kept file that was changed on disk, or whose key is no longer trusted, is not used.
  await writeFile(kept, stranger.file({ ...good(), serial: 99 }))
  t.match(await create().catalogue(), { from: 'shipped' })
})

t.test('a clock that is behind at a start does not bring an older list back', async (t) => {
  const { data, create, kept, setClock } = await open(t)
  await writeFile(join(data, 'catalogue.json'), signer.file({ ...good(), serial: 5 }))
  await create().offer(signer.file({ ...good(), serial: 9 }))
  const bytes = await readFile(kept)
  setClock(Date.parse('2026-01-02T00:00:00Z'))
  const directory = create()
  t.match(await directory.catalogue(), { from: 'fetched', catalogue: { serial: 9 } })
  setClock(NOW_MS)
  await t.rejects(directory.offer(signer.file({ ...good(), serial: 7 })), {
    wire: 'catalogue_older',
  } as object as Error)
  t.same(await readFile(kept), bytes)
})

const evil = makePlugin({ manifest: { needs: { hosts: ['evil.example'] } } })
const other = makePlugin({ id: 'kettle-two' })
const later = makePlugin({ version: '1.0.1' })
const unsupported = makePlugin({ listed: { api: '^1.0.0' } })
const traversal = tarball([{ path: 'package/../../evil.ts', content: 'x' }])
const listedAs = (bytes: Buffer, edit: object = {}) => ({
  ...version,
  archive: {
    ...version.archive!,
    size: bytes.length,
    sha512: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
  },
  ...edit,
})

/** The listed version, the archive that comes, the wire code, and the reason. */
const ARCHIVES: Readonly<Record<string, readonly [listed: object, bytes: Buffer, wire: string, reason: RegExp]>> = {
  'other bytes': [version, evil.archive, 'package_integrity', /not the one of the list/],
  'one byte more': [version, Buffer.concat([archive, Buffer.from([0])]), 'package_integrity', /not the one/],
  'another size': [
    listedAs(archive, { archive: { ...version.archive, size: 5 } }),
    archive,
    'package_integrity',
    /not the one/,
  ],
  nothing: [version, Buffer.alloc(0), 'package_integrity', /not the one/],
  'a host that the list does not say': [
    listedAs(evil.archive),
    evil.archive,
    'listing_differs',
    /does not say: reaches: evil\.example/,
  ],
  'less than the list says': [
    listedAs(archive, { asks: [...version.asks, 'host api.example.org'] }),
    archive,
    'listing_differs',
    /does not ask for.*api\.example\.org/,
  ],
  'another plugin': [listedAs(other.archive), other.archive, 'listing_differs', /has kettle-two 1\.0\.0/],
  'another version': [listedAs(later.archive), later.archive, 'listing_differs', /has kettle 1\.0\.1/],
  'a file that leads out': [listedAs(traversal), traversal, 'package_refused', /leads out of its folder/],
  'no archive at all': [listedAs(Buffer.from('hello')), Buffer.from('hello'), 'package_refused', /not a gzip archive/],
}

t.test('archives that are not what the list says are refused, and leave nothing', async (t) => {
  for (const [name, [listed, bytes, wire, reason]] of Object.entries(ARCHIVES)) {
    const { directory, registry, installed } = await open(t)
    await directory.offer(signer.file(catalogueOf([{ ...entry, versions: [listed] }])))
    await t.rejects(directory.stage('kettle', '1.0.0', bytes), { wire, message: reason } as object as Error, name)
    t.same([await registry(), await installed(), await directory.added()], [[], [], []], name)
  }
})

t.test('what is not to be installed is not', async (t) => {
  const { directory, registry, installed } = await open(t)
  const withdrawn = { ...version, withdrawn: { date: '2026-11-20', why: 'It loses water.' } }
  const builtIn = { ...entry, id: 'stove', builtIn: true, versions: [{ ...version, archive: null }] }
  await directory.offer(signer.file(catalogueOf([{ ...entry, versions: [withdrawn] }, builtIn])))
  for (const [id, wanted, bytes, wire, reason] of [
    ['kettle', '1.0.0', archive, 'version_withdrawn', /withdrawn on 2026-11-20: It loses water\./],
    ['kettle', '2.0.0', archive, 'version_unknown', /no version 2\.0\.0/],
    ['pan', '1.0.0', archive, 'version_unknown', /plugin "pan"/],
    ['stove', '1.0.0', archive, 'plugin_built_in', /a part of Playhead/],
  ] as const)
    await t.rejects(directory.stage(id, wanted, bytes), { wire, message: reason } as object as Error)
  await directory.offer(signer.file(catalogueOf([unsupported.entry], { serial: 2 })))
  await t.rejects(directory.stage('kettle', '1.0.0'), { wire: 'archive_needed' } as object as Error)
  t.same([await registry(), await installed()], [[], []])
})
