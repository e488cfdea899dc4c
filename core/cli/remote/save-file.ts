// Saves the body of a response to a file, or writes it to the output. A file appears complete or not at all.
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { CliError, type Cli } from '../command.ts'
import type { Output } from './output.ts'

/**
 * @param out a file, a folder, or `-` for the output; default: the name that the service suggests
 * @returns the path; null for the output
 */
export async function saveFile(
  response: Response,
  {
    out,
    fallback,
    cli,
    output,
  }: { readonly out: string | undefined; readonly fallback: string; readonly cli: Cli; readonly output: Output },
): Promise<string | null> {
  if (response.body === null) throw new Error('the service sent no file')
  const body = Readable.fromWeb(response.body as ReadableStream)
  if (out === '-') {
    for await (const chunk of body) process.stdout.write(chunk as Buffer)
    return null
  }
  const name = basename(
    /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? fallback,
  )
  const wanted = resolve(cli.workingDirectory, out ?? name)
  const isFolder = (await stat(wanted).catch(() => null))?.isDirectory() === true
  const file = isFolder ? resolve(wanted, name) : wanted
  if ((await stat(file).catch(() => null)) !== null)
    throw new CliError(`${file} exists already; choose another name with --out`)
  const partial = `${file}.part`
  let bytes = 0
  body.on('data', (chunk: Buffer) => output.progress(`${Math.round((bytes += chunk.length) / 1024)} KiB`))
  try {
    await pipeline(body, createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return file
}
