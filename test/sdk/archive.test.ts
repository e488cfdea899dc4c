// ZIP archives from unknown sources, as every plugin reads them: imports, the tracker and backups.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type ArchiveLimits, openArchive, scanArchive, writeArchive } from '@playhead/sdk'
import { type Member, zip } from '../plugins/backups/world.ts'

const LIMITS: ArchiveLimits = { files: 10, totalBytes: 32 * 1024 * 1024 }
const good: Member = { name: 'a/b.csv', content: 'one,two\n' }
const textOf = async (chunks: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(chunks)).toString()

t.test('malicious and broken archives are refused with a reason before anything is read', async (t) => {
  const folder = t.testdir()
  const zeros = Buffer.alloc(8 * 1024 * 1024)
  for (const [members, reason, limits = LIMITS] of [
    [[good, { name: '../evil', content: 'x' }], 'unsafe_path'],
    [[{ name: '/etc/evil', content: 'x' }], 'unsafe_path'],
    [[{ name: 'C:/evil', content: 'x' }], 'unsafe_path'],
    [[{ name: 'a\\b', content: 'x' }], 'unsafe_path'],
    [[{ name: 'a\u0000b', content: 'x' }], 'unsafe_path'],
    [[{ name: `${'x/'.repeat(17)}x`, content: 'x' }], 'path_too_long'],
    [[{ name: 'x'.repeat(513), content: 'x' }], 'path_too_long'],
    [[good, { ...good, mode: 0o120777, name: 'link' }], 'symlink_member'],
    [[{ ...good, mode: 0o060666 }], 'symlink_member'],
    [[good, good], 'duplicate_member'],
    [[{ ...good, encrypted: true }], 'encrypted_member'],
    [[{ ...good, method: 12 }], 'unsupported_member'],
    [[{ name: 'bomb', content: zeros, deflate: true }], 'packed_too_well'],
    [[{ name: 'large', content: zeros }], 'too_large_unpacked', { files: 10, totalBytes: 1_000_000 }],
    [Array.from({ length: 11 }, (_, n) => ({ name: `${n}`, content: '' })), 'too_many_members'],
    [[{ name: 'folder/', content: '' }], 'directory_member', { ...LIMITS, folders: false }],
  ] as const) {
    const bytes = zip(members)
    const file = join(folder, 'x.zip')
    await writeFile(file, bytes)
    for (const source of [bytes, file])
      await t.rejects(
        scanArchive(source, limits),
        { code: 'PLH_INVALID', message: String, details: { reason } },
        reason,
      )
  }
  for (const [name, bytes] of Object.entries({
    nothing: Buffer.alloc(0),
    'no archive': Buffer.from('not a zip at all'),
    half: zip([good]).subarray(0, 40),
    'more after its end': zip([good], { after: 'more' }),
    'half of 64-bit fields': zip([good], { zip64: true }).subarray(0, -30),
  }))
    await t.rejects(
      openArchive(bytes, LIMITS),
      { wire: 'invalid_archive', message: /./, details: { reason: 'archive_damaged' } },
      name,
    )
})

t.test('files can be read repeatedly, and a false size ends the read', async (t) => {
  for (const zip64 of [false, true]) {
    const bytes = zip([{ name: 'a/', content: '' }, good, { ...good, name: 'c', deflate: true }], { zip64 })
    const { sizes, files } = await scanArchive(bytes, LIMITS)
    t.same(
      [...sizes],
      [
        ['a/b.csv', 8],
        ['c', 8],
      ],
    )
    for (let times = 0; times < 2; times += 1)
      for await (const file of files()) t.equal(await textOf(file.read()), good.content)
  }
  const made = Buffer.concat(await Array.fromAsync(writeArchive([{ path: 'x', content: ['one\n', 'two\n'] }])))
  const [own] = await openArchive(made, LIMITS)
  t.equal(await textOf(own!.read()), 'one\ntwo\n')

  const [lies] = await openArchive(zip([{ name: 'x', content: 'x'.repeat(9_000), deflate: true, size: 4 }]), LIMITS)
  await t.rejects(textOf(lies!.read()), {
    code: 'PLH_INVALID',
    message: /./,
    details: { reason: /size_mismatch|archive_damaged/ },
  })
  const broken = zip([good])
  broken[broken.indexOf('one,two')]! ^= 1
  const [flipped] = await openArchive(broken, LIMITS)
  await t.rejects(textOf(flipped!.read()), {
    wire: 'invalid_archive',
    message: /./,
    details: { reason: 'crc_mismatch' },
  })
})
