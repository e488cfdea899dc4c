// The size of an installation.
import { glob, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The sum of the sizes of the files that run, as in the image: packages that are not for development, and what is beside them. */
export async function installedBytes(): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>
  }
  const installed = Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
    .map(([path]) => path)
  let bytes = 0
  for (const folder of [...installed, 'core', 'sdk', 'plugins', 'ui/dist', 'ui/static', 'dist'])
    for await (const entry of glob('**/*', {
      cwd: join(ROOT, folder),
      exclude: ['node_modules', 'sdk/dist'],
      withFileTypes: true,
    }))
      if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}
