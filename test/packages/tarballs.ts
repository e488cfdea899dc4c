// Creates tarballs, including invalid ones.
import { gzipSync } from 'node:zlib'
import { Header } from 'tar'

export interface TarEntry {
  readonly path: string
  readonly content?: string | Buffer
  readonly type?: 'File' | 'SymbolicLink' | 'Link' | 'Directory' | 'CharacterDevice' | 'FIFO'
  readonly linkpath?: string
}

export function tarball(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath }) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    const isFile = type === 'File'
    new Header({
      path,
      mode: 0o644,
      size: isFile ? bytes.length : 0,
      mtime: new Date(0),
      type,
      ...(linkpath === undefined ? {} : { linkpath }),
    }).encode(header)
    return isFile ? [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)] : [header]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

/** The files of a plugin as a package. */
export function pluginFiles(
  { name = 'playhead-plugin-hello', version = '1.0.0', id = 'hello' } = {},
  {
    manifest = {},
    packageJson = {},
    source = "import { definePlugin } from '@playhead/sdk'\nexport default definePlugin({})\n",
  }: { readonly manifest?: object; readonly packageJson?: object; readonly source?: string } = {},
): readonly TarEntry[] {
  const described = { id, name: 'Hello', version, api: '^1.0.0', kind: 'service', ...manifest }
  return [
    { path: 'package/package.json', content: JSON.stringify({ name, version, ...packageJson }) },
    { path: 'package/plugin.json', content: JSON.stringify(described) },
    { path: 'package/index.ts', content: source },
  ]
}
