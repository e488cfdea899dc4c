// Builds the published files of this folder: one JavaScript module and its types.
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const HERE = import.meta.dirname

export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const entry = join(HERE, 'index.ts')
  await build({
    entryPoints: [entry],
    outfile: join(folder, 'index.js'),
    ...{ bundle: true, format: 'esm', platform: 'neutral', target: 'es2023', legalComments: 'none' },
  })
  const flags = [
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--rewriteRelativeImportExtensions',
    '--allowImportingTsExtensions',
  ]
  const tsc = join(HERE, '../../node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [
    tsc,
    ...[entry, '--outDir', folder, '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'esnext'],
    ...['--lib', 'esnext,dom,dom.iterable', '--types', '', '--strict', '--skipLibCheck', ...flags],
  ])
}

if (import.meta.main) await buildClient(join(HERE, 'dist'))
