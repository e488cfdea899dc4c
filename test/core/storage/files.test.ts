import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import fc, { runsOf } from '../../fast-check.ts'
import t, { type Test } from 'tap'
import { createFileArea } from '../../../core/storage/files.ts'
import { createPluginFiles, type PluginFilesOptions } from '../../../core/storage/plugin-files.ts'
import { temporaryDirectory } from './support.ts'

const OUTSIDE = { code: 'PLH_FORBIDDEN', wire: 'path_not_allowed' }

async function area(t: Test) {
  const base = temporaryDirectory(t)
  const root = join(base, 'root')
  await writeFile(join(base, 'secret.txt'), 'secret')
  return { base, root, files: createFileArea(root) }
}

t.test('files are written, read, streamed, listed, described and removed', async (t) => {
  const { files } = await area(t)

  await files.write('a/b/one.txt', 'one')
  await files.write('a/two.bin', Uint8Array.of(1, 2, 3))
  await files.writeStream(
    'a/three.txt',
    (async function* () {
      yield 'th'
      yield Buffer.from('ree')
    })(),
  )

  t.equal((await files.read('a/b/one.txt')).toString(), 'one')
  t.equal((await buffer(await files.readStream('a/three.txt'))).toString(), 'three')
  t.strictSame(await files.list('a'), [
    { name: 'b', isDir: true },
    { name: 'three.txt', isDir: false, size: 5 },
    { name: 'two.bin', isDir: false, size: 3 },
  ])
  t.strictSame(await files.list(), [{ name: 'a', isDir: true }])
  t.match(await files.stat('a/two.bin'), { isDir: false, size: 3, modifiedAtMs: Number })
  t.match(await files.stat('a'), { isDir: true })
  t.equal(await files.remove('a'), true)
  t.equal(await files.remove('a'), false)
})

t.test('a missing file is reported as missing', async (t) => {
  const { files } = await area(t)
  await files.write('file', 'x')

  t.equal(await files.stat('no/such'), undefined)
  t.equal(await files.stat('file/below'), undefined)
  const missing: readonly (() => Promise<unknown>)[] = [
    () => files.read('no'),
    () => files.readStream('no'),
    () => files.list('no'),
    () => files.read('file/below'),
  ]
  for (const work of missing) await t.rejects(work(), { code: 'PLH_NOT_FOUND' })
  await t.rejects(files.read(''), { code: 'PLH_INVALID', wire: 'not_a_file' })
  await files.write('folder/x', 'x')
  await t.rejects(files.write('folder', 'x'), { code: 'PLH_INVALID', wire: 'not_a_file' })
})

t.test('a file is appended at its end, or from a verified offset', async (t) => {
  const { base, root, files } = await area(t)
  t.equal(await files.append('a/log', 'one\n'), 4)
  t.equal(await files.append('a/log', Buffer.from('två\n')), 9)
  t.equal(await files.append('a/log', 'half a li'), 18)
  t.equal(await files.append('a/log', 'three\n', 9), 15)
  t.equal((await files.read('a/log')).toString(), 'one\ntvå\nthree\n')
  t.equal(await files.append('a/log', '', 4), 4)
  t.equal((await files.read('a/log')).toString(), 'one\n')
  await t.rejects(files.append('a/log', 'x', 99), { code: 'PLH_CONFLICT' })
  t.equal((await files.read('a/log')).toString(), 'one\n')
  await t.rejects(files.append('../outside', 'x'), OUTSIDE)
  await t.rejects(files.append('', 'x'), OUTSIDE)
  await t.rejects(files.append('a', 'x'), { code: 'PLH_INVALID', wire: 'not_a_file' })
  await symlink(join(base, 'secret.txt'), join(root, 'link'))
  await t.rejects(files.append('link', 'x'), { code: 'PLH_INVALID', wire: 'not_a_file' })
  t.equal((await readFile(join(base, 'secret.txt'))).toString(), 'secret')
})

t.test('no path by name leads outside', async (t) => {
  const { files, base } = await area(t)
  const paths = [
    '../secret.txt',
    'a/../../secret.txt',
    '..',
    '/etc/passwd',
    join(base, 'secret.txt'),
    'C:/x',
    'c:x',
    '\\\\host\\share',
    'a\\..\\..\\x',
    'a\0b',
    `${'a/'.repeat(40)}b`,
    'x'.repeat(2_000),
  ]

  for (const path of paths) {
    const name = JSON.stringify(path.slice(0, 40))
    await t.rejects(files.read(path), OUTSIDE, `read ${name}`)
    await t.rejects(files.write(path, 'x'), OUTSIDE, `write ${name}`)
    await t.rejects(files.list(path), OUTSIDE, `list ${name}`)
    await t.rejects(files.stat(path), OUTSIDE, `stat ${name}`)
    await t.rejects(files.remove(path), OUTSIDE, `remove ${name}`)
  }
  await t.rejects(files.write('', 'x'), OUTSIDE)
  await t.rejects(files.remove('.'), OUTSIDE)
  t.equal((await readFile(join(base, 'secret.txt'))).toString(), 'secret')
})

t.test('no path of any form reaches the file beside the root', async (t) => {
  const { files, base } = await area(t)
  const part = fc.constantFrom('..', '.', '', 'a', 'secret.txt', '\\', 'C:', '\0', '%2e%2e', '..\\')

  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const path = parts.join('/')
      const text = await files.read(path).then(String, () => '')
      await files.write(path, 'overwritten').catch(() => undefined)
      await files.remove(path).catch(() => undefined)
      return text !== 'secret' && String(await readFile(join(base, 'secret.txt'))) === 'secret'
    }),
    { numRuns: runsOf(200) },
  )
})

t.test('links are listed as files without a size and never lead outside', async (t) => {
  const { files, root, base } = await area(t)
  await mkdir(join(base, 'elsewhere'))
  await writeFile(join(base, 'elsewhere', 'x'), 'x')
  await files.write('real/file', 'inside')
  await symlink(join(base, 'elsewhere'), join(root, 'folder'))
  await symlink(join(base, 'secret.txt'), join(root, 'file'))
  await symlink(join(base, 'new.txt'), join(root, 'dangling'))
  await symlink('real', join(root, 'within'))

  t.strictSame(
    (await files.list()).filter(({ name }) => name !== 'real'),
    ['dangling', 'file', 'folder', 'within'].map((name) => ({ name, isDir: false })),
  )
  for (const path of ['folder/x', 'file']) {
    await t.rejects(files.read(path), OUTSIDE, `read ${path}`)
    await t.rejects(files.stat(path), OUTSIDE, `stat ${path}`)
  }
  await t.rejects(files.list('folder'), OUTSIDE)
  await t.rejects(files.write('folder/y', 'y'), OUTSIDE)
  await t.rejects(files.write('folder/deep/y', 'y'), OUTSIDE)
  await t.rejects(files.remove('folder/x'), OUTSIDE)
  t.equal((await files.read('within/file')).toString(), 'inside')

  await files.write('dangling', 'replaced')
  await files.write('file', 'replaced')
  t.equal(await files.remove('folder'), true)
  t.same((await readdir(base)).sort(), ['elsewhere', 'root', 'secret.txt'], 'nothing was written through a link')
  t.same(await readdir(join(base, 'elsewhere')), ['x'], 'the link was removed, not what it leads to')
  t.equal((await readFile(join(base, 'secret.txt'))).toString(), 'secret')
})

t.test('a write replaces the file, so that open or linked copies keep the old content', async (t) => {
  const { files, root } = await area(t)
  await files.write('a', 'old')
  await link(join(root, 'a'), join(root, 'b'))

  await files.write('a', 'new')

  t.equal((await files.read('a')).toString(), 'new')
  t.equal((await files.read('b')).toString(), 'old')
})

t.test('a failing stream leaves the old file and no partial one', async (t) => {
  const { files, root } = await area(t)
  await files.write('a', 'old')

  await t.rejects(
    files.writeStream(
      'a',
      (async function* () {
        yield 'half'
        throw new Error('upstream went away')
      })(),
    ),
    { message: 'upstream went away' },
  )

  t.equal((await files.read('a')).toString(), 'old')
  t.same(await readdir(root), ['a'])
})

t.test('files that are being written are not listed, and long lists are cut', async (t) => {
  const { files, root } = await area(t)
  await writeFile(join(root, '.playhead-0123456789abcdef.tmp'), 'half')
  t.same(await files.list(), [])

  await Promise.all(
    Array.from({ length: 5_010 }, (_, index) => writeFile(join(root, `f${String(index).padStart(5, '0')}`), '')),
  )
  const list = await files.list()

  t.equal(list.length, 5_000)
  t.equal(list[0]?.name, 'f00000')
})

t.test('a plugin has its own files and the shared folders that it declares', async (t) => {
  const base = temporaryDirectory(t)
  const dataDirectory = {
    shared: (folder: string) => join(base, 'files', folder),
    pluginFiles: (id: string) => join(base, 'plugins', id, 'files'),
  }
  const create = (pluginId: string, needs: PluginFilesOptions['needs']) =>
    createPluginFiles({ dataDirectory, pluginId, needs })
  const one = create('one', { files: ['captures'] })
  const two = create('two', { listFiles: true })

  await one.write('mine', '1')
  await two.write('mine', '2')
  await one.shared('captures').write('c/x.json', '{}')

  t.equal((await one.read('mine')).toString(), '1')
  t.throws(() => one.shared('backups'), { code: 'PLH_PLUGIN_UNDECLARED', message: /needs\.files/ })
  t.throws(() => one.shared('../plugins'), { code: 'PLH_PLUGIN_UNDECLARED' })
  t.throws(() => two.shared('captures'), { code: 'PLH_PLUGIN_UNDECLARED' })
  await t.rejects(one.listShared(''), { code: 'PLH_PLUGIN_UNDECLARED', message: /needs\.listFiles/ })
  t.same(
    (await two.listShared('')).map(({ name, isDir }) => [name, isDir]),
    ['backups', 'cache', 'captures', 'exports', 'imports', 'reports'].map((name) => [name, true]),
  )
  t.strictSame(await two.listShared('captures/c'), [{ name: 'x.json', isDir: false, size: 2 }])
  await t.rejects(two.listShared('captures/../../plugins'), OUTSIDE)
  await t.rejects(two.listShared('plugins'), { code: 'PLH_NOT_FOUND' })
})
