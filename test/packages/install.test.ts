// Malicious or broken packages and registries: nothing is installed, and the reason is reported.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createNpmRegistry, parseSpec, readNpmSettings } from '../../core/packages/npm-registry.ts'
import { createPackages } from '../../core/packages/packages.ts'
import { beyond } from '../../core/packages/asks.ts'
import { startNpmRegistry } from '../upstreams/npm-registry.ts'
import { pluginFiles, tarball, type TarEntry } from './tarballs.ts'

const NAME = 'playhead-plugin-hello'

async function open() {
  const registry = await startNpmRegistry()
  const data = await mkdtemp(join(tmpdir(), 'playhead-packages-'))
  const userRegistry = join(data, 'plugin-registry.json')
  const npm = async () =>
    createNpmRegistry({
      settings: await readNpmSettings(data, { PLAYHEAD_NPM_REGISTRY: registry.url }, data),
      packumentMs: 500,
      tarballMs: 500,
    })
  const packages = createPackages({
    files: { bundledRegistry: join(data, 'bundled.json'), userRegistry, packages: join(data, 'plugins', 'installed') },
    npm,
    nowMs: () => Date.now(),
  })
  return {
    registry,
    data,
    userRegistry,
    packages,
    publish(entries: readonly TarEntry[] | Buffer, version = '1.0.0', meta: object = {}, name = NAME) {
      registry.put(name, { name, version, ...meta }, Buffer.isBuffer(entries) ? entries : tarball(entries))
    },
    async files() {
      const found = await readdir(join(data, 'plugins'), { recursive: true, withFileTypes: true }).catch(() => [])
      return found.filter((entry) => entry.isFile()).map(({ name }) => name)
    },
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** PlayheadError has fields that tap's types do not know. */
const like = (expected: object) => expected as Error
const plain = pluginFiles()
const link = (type: 'SymbolicLink' | 'Link', path: string, linkpath: string): TarEntry => ({ path, type, linkpath })

const HOSTILE: readonly (readonly [string, readonly TarEntry[] | Buffer, RegExp])[] = [
  ['a path that climbs', [...plain, { path: 'package/../../evil.ts', content: 'x' }], /leads out of its folder/],
  ['a path that climbs late', [...plain, { path: 'package/a/b/../../../../evil', content: 'x' }], /leads out/],
  ['an absolute path', [...plain, { path: '/etc/cron.d/evil', content: 'x' }], /leads out/],
  ['a path of Windows', [...plain, { path: 'package/..\\..\\evil.ts', content: 'x' }], /not a usable name/],
  ['a drive', [...plain, { path: 'package/C:evil', content: 'x' }], /not a usable name/],
  ['a symbolic link', [...plain, link('SymbolicLink', 'package/data', '/etc')], /SymbolicLink; only plain files/],
  ['a hard link', [...plain, link('Link', 'package/data', '/etc/passwd')], /Link; only plain files/],
  [
    'a link and a file below it',
    [...plain, link('SymbolicLink', 'package/d', '/tmp'), { path: 'package/d/evil', content: 'x' }],
    /SymbolicLink/,
  ],
  ['a device', [...plain, { path: 'package/null', type: 'CharacterDevice' }], /CharacterDevice; only plain files/],
  ['a file twice', [...plain, { path: 'package/index.ts', content: 'other' }], /in it twice/],
  ['a file twice but for the case', [...plain, { path: 'package/INDEX.TS', content: 'other' }], /in it twice/],
  [
    'a file in the place of a folder',
    [...plain, { path: 'package/x', content: 'x' }, { path: 'package/x/y', content: 'x' }],
    /below a file/,
  ],
  [
    'too many files',
    [...plain, ...Array.from({ length: 3001 }, (_, n) => ({ path: `package/f${n}` }))],
    /more than 3000 files/,
  ],
  ['a bomb', [...plain, { path: 'package/zeros', content: Buffer.alloc(65 * 1024 * 1024) }], /larger than 64 MB/],
  ['no archive', Buffer.from('no archive at all'), /not a gzip archive/],
  ['a cut archive', tarball(plain).subarray(0, 200), /not a gzip archive|not a tar archive/],
  ['no plugin', [plain[0] as TarEntry], /no plugin\.json, so it is not a plugin/],
  ['another package', pluginFiles({ name: 'other' }), /package\.json names other/],
  ['another version', pluginFiles({ version: '2.0.0' }), /names playhead-plugin-hello 2\.0\.0/],
  ['two versions', pluginFiles({}, { manifest: { version: '1.0.1' } }), /plugin\.json has the version 1\.0\.1/],
  [
    'packages that it needs',
    pluginFiles({}, { packageJson: { dependencies: { 'left-pad': '1' } } }),
    /needs the package left-pad, and packages of packages are not installed.*bundle/,
  ],
  [
    'an import of what is not in it',
    pluginFiles({}, { source: "import { x } from 'left-pad'\nexport default x" }),
    /Could not resolve "left-pad"/,
  ],
  [
    'an import out of its folder',
    pluginFiles({}, { source: "import x from '../../../../secret.json'\nexport default x" }),
    /outside the plugin's folder/,
  ],
  ['an entry out of its folder', pluginFiles({}, { manifest: { entry: 'a/../../../x.ts' } }), /resolve|refused|entry/],
  [
    'another SDK',
    pluginFiles({}, { manifest: { api: '^9.0.0' } }),
    /needs SDK \^9\.0\.0; this host has .* Update Playhead/,
  ],
  ['an older SDK', pluginFiles({}, { manifest: { api: '^0.1.0' } }), /needs SDK \^0\.1\.0.* Update the plugin/],
]

t.test('hostile packages are refused, and leave nothing', async (t) => {
  await using place = await open()
  await writeFile(join(place.data, 'secret.json'), '{}')
  for (const [what, entries, reason] of HOSTILE) {
    place.publish(entries)
    await t.rejects(place.packages.stage(NAME), { message: reason }, what)
    t.same(await place.files(), [], what)
    t.same(await place.packages.list(), [], what)
  }
})

t.test('a registry that lies, fails or hangs changes nothing', async (t) => {
  await using place = await open()
  const { registry, packages } = place
  place.publish(plain)
  const cases = [
    [{ tamper: (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]) }, 'package_integrity'],
    [{ describe: strip('integrity') }, 'package_integrity'],
    [{ describe: withDist({ integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }) }, 'package_integrity'],
    [{ describe: withDist({ tarball: 'http://169.254.169.254/latest.tgz' }) }, 'registry_refused'],
    [{ describe: withDist({ tarball: 'file:///etc/passwd' }) }, 'registry_refused'],
    [{ describe: () => ({ hello: 1 }) }, 'registry_invalid'],
    [{ describe: () => [] }, 'registry_invalid'],
    [{ redirect: 'http://127.0.0.1:9/x.tgz' }, 'registry_refused'],
    [{ cut: true }, 'registry_unreachable'],
    [{ status: 500 }, 'registry_failed'],
    [{ status: 401 }, 'registry_refused'],
    [{ hang: 'packument' as const }, 'registry_timeout'],
    [{ hang: 'tarball' as const }, 'registry_timeout'],
    [{ tamper: () => Buffer.alloc(21 * 1024 * 1024) }, 'package_too_large'],
  ] as const
  for (const [faults, wire] of cases) {
    registry.calm()
    Object.assign(registry.faults, faults)
    await t.rejects(packages.stage(NAME), like({ wire }), JSON.stringify(faults))
    t.same(await place.files(), [])
  }
  registry.calm()
  await t.rejects(packages.stage('playhead-plugin-unknown'), like({ wire: 'package_unknown', message: /no package/ }))
  await t.rejects(packages.stage(`${NAME}@^9`), like({ wire: 'version_unknown', message: /Its newest: 1\.0\.0/ }))
  await t.rejects(packages.stage('../../etc/passwd'), like({ wire: 'package_name_invalid' }))
  await registry[Symbol.asyncDispose]()
  await t.rejects(packages.stage(NAME), like({ wire: 'registry_unreachable', message: /ECONNREFUSED/ }))
  await t.rejects(readFile(place.userRegistry), { code: 'ENOENT' })
})

t.test('the newest version that fits this SDK is installed, and the newer one is named', async (t) => {
  await using place = await open()
  place.publish(pluginFiles({ version: '1.0.0' }), '1.0.0', { peerDependencies: { '@playhead/sdk': '^1.0.0' } })
  place.publish(pluginFiles({ version: '2.0.0' }), '2.0.0', { peerDependencies: { '@playhead/sdk': '^9.0.0' } })
  const found = await place.packages.stage(NAME)
  t.match(found, { state: 'review', review: { version: '1.0.0', notes: [/2\.0\.0 is newer/] } })
  await t.rejects(place.packages.stage(`${NAME}@2.0.0`), {
    code: 'PLH_PLUGIN_API_RANGE',
    message: /needs SDK \^9\.0\.0; this Playhead has .* Update Playhead/,
  })
})

t.test('a version always has the same bytes, also when it is installed again', async (t) => {
  await using place = await open()
  place.publish(plain)
  await place.packages.stage(NAME)
  const view = await place.packages.accept('hello', '1.0.0')
  t.match(view, { version: '1.0.0', staged: null, trial: null })
  const { plugins } = JSON.parse(await readFile(place.userRegistry, 'utf8'))
  const folder = join(place.data, plugins[0].source)
  t.match(plugins[0], { package: { live: { sha512: /^sha512-/, asks: ['settings plugins.hello', 'memory 256'] } } })
  t.match(await place.packages.stage(NAME), { state: 'newest' })

  // The files are lost, so they are downloaded again.
  await rm(folder, { recursive: true })
  t.match(await place.packages.stage(NAME), { state: 'ready' })
  await place.packages.accept('hello', '1.0.0')
  t.equal((await readFile(join(folder, 'index.ts'), 'utf8')).length > 0, true)

  // A republished version, which npm forbids: another registry, or a compromised one.
  await rm(folder, { recursive: true })
  place.publish(pluginFiles({}, { source: "export default 'other'" }))
  await t.rejects(
    place.packages.stage(NAME),
    like({ wire: 'package_integrity', message: /differs from the version that was installed before/ }),
  )
})

t.test('a staged version that was changed on disk is not accepted', async (t) => {
  await using place = await open()
  place.publish(plain)
  await place.packages.stage(NAME)
  const { plugins } = JSON.parse(await readFile(place.userRegistry, 'utf8'))
  await writeFile(join(place.data, plugins[0].package.staged.folder, 'index.ts'), "export default 'other'")
  await t.rejects(place.packages.accept('hello', '1.0.0'), like({ wire: 'package_integrity' }))
})

t.test('a file is checked like a package of the registry', async (t) => {
  await using place = await open()
  for (const [what, entries, reason] of HOSTILE) {
    // A file has no other name or version than its own.
    if (['another package', 'another version'].includes(what)) continue
    await t.rejects(
      place.packages.stageFile(Buffer.isBuffer(entries) ? entries : tarball(entries)),
      { message: reason },
      what,
    )
    t.same(await place.files(), [], what)
  }
  for (const [what, packageJson] of [
    ['no name', { name: undefined }],
    ['a name that npm does not allow', { name: '../hello' }],
    ['a name with a version', { name: 'hello@1' }],
    ['no version', { version: undefined }],
    ['a version that is none', { version: '1' }],
  ] as const)
    await t.rejects(
      place.packages.stageFile(tarball(pluginFiles({}, { packageJson }))),
      like({ wire: 'package_refused' }),
      what,
    )
  t.same(await place.files(), [])
})

t.test('a plugin from a file is never updated from the registry by itself', async (t) => {
  await using place = await open()
  const { packages } = place
  t.match(await packages.stageFile(tarball(plain)), { state: 'review', review: { from: null, notes: [/from a file/] } })
  t.match(await packages.accept('hello', '1.0.0'), { version: '1.0.0', source: 'file', staged: null })
  t.match(await packages.stageFile(tarball(plain)), { state: 'newest' })

  // A package of the same name, by another author.
  place.publish(pluginFiles({ version: '1.0.1' }), '1.0.1')
  await t.rejects(packages.stageUpdate('hello'), like({ wire: 'package_from_file' }))
  t.equal(place.registry.requests.length, 0)
  t.match(
    await packages.stage(NAME),
    { state: 'review', review: { version: '1.0.1', notes: [/came from a file/] } },
    'it asks for nothing new, and waits all the same',
  )

  // A newer file waits too, and can be rolled back.
  t.match(await packages.stageFile(tarball(pluginFiles({ version: '1.1.0' }))), { state: 'review' })
  t.match(await packages.accept('hello', '1.1.0'), { version: '1.1.0', previous: '1.0.0', source: 'file' })
  t.match(await packages.rollBack('hello'), { version: '1.0.0' })
  await t.rejects(
    packages.stageFile(tarball(pluginFiles({}, { source: "export default 'other'" }))),
    like({ wire: 'package_integrity' }),
    'one version has one content',
  )
})

t.test('a plugin from npm that a file updates waits for a review', async (t) => {
  await using place = await open()
  place.publish(plain)
  await place.packages.stage(NAME)
  await place.packages.accept('hello', '1.0.0')
  t.match(await place.packages.stageFile(tarball(pluginFiles({ version: '1.0.1' }))), {
    state: 'review',
    review: { from: '1.0.0', notes: [/from a file/, /came from the registry/] },
  })
  t.match(await place.packages.list(), [{ version: '1.0.0', source: 'npm', staged: { version: '1.0.1' } }])
})

t.test('an id belongs to one package', async (t) => {
  await using place = await open()
  place.publish(plain)
  await place.packages.stage(NAME)
  await place.packages.accept('hello', '1.0.0')
  place.publish(pluginFiles({ name: 'squatter' }), '1.0.0', {}, 'squatter')
  await t.rejects(place.packages.stage('squatter'), like({ wire: 'plugin_id_taken' }))
  await writeFile(
    join(place.data, 'bundled.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'editor', source: './editor' }] }),
  )
  place.publish(pluginFiles({ name: 'squatter', id: 'editor' }), '1.0.0', {}, 'squatter')
  await t.rejects(place.packages.stage('squatter'), like({ wire: 'plugin_id_taken', message: /ships with Playhead/ }))
})

t.test('tokens in .npmrc are sent only to their registry', async (t) => {
  await using place = await open()
  await using other = await startNpmRegistry()
  place.publish(plain)
  const host = new URL(place.registry.url).host
  await writeFile(
    join(place.data, '.npmrc'),
    `registry=${other.url}/\n@me:registry=${place.registry.url}\n//${host}/:_authToken=\${TOKEN_FOR_TEST}\n; a comment\n`,
  )
  const settings = await readNpmSettings(place.data, { TOKEN_FOR_TEST: 'the-token' }, place.data)
  t.equal(settings.address, other.url)
  const npm = createNpmRegistry({ settings })
  await t.rejects(npm.choose('@me/x', 'latest'), like({ wire: 'package_unknown' }))
  await t.rejects(npm.choose('x', 'latest'), like({ wire: 'package_unknown' }))
  t.equal(place.registry.requests[0]?.headers.authorization, 'Bearer the-token')
  t.equal(other.requests[0]?.headers.authorization, undefined)
  await t.rejects(
    readNpmSettings(place.data, { PLAYHEAD_NPM_REGISTRY: 'ftp://x' }, place.data),
    like({ wire: 'registry_address_invalid' }),
  )
})

t.test('invalid names and requests are refused', async (t) => {
  for (const [spec, expected] of [
    ['hello', { name: 'hello', range: 'latest' }],
    ['@me/hello@^1 <3', { name: '@me/hello', range: '^1 <3' }],
    ['hello@', null],
    ['.hello', null],
    ['../x', null],
    ['Hello', null],
    ['a b', null],
    ['@me', null],
  ] as const)
    t.same(parseSpec(spec), expected, spec)
  t.same(beyond(['memory 256', 'host a'], ['memory 128', 'host a']), [])
  t.same(beyond(['memory 256'], ['memory 512', 'host a']), ['memory 512', 'host a'])
  t.same(beyond(['route S GET /x'], ['route P GET /x']), ['route P GET /x'], 'public is more than signed in')
  t.same(beyond(['memory 256'], ['isolation none']), ['isolation none'])
})

function withDist(dist: object) {
  return (packument: any) => {
    for (const version of Object.values<any>(packument.versions)) Object.assign(version.dist, dist)
    return packument
  }
}

function strip(field: string) {
  return (packument: any) => {
    for (const version of Object.values<any>(packument.versions)) delete version.dist[field]
    return packument
  }
}
