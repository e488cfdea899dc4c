// `directory key`: makes the key that signs lists.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { publicText } from '../../packages/catalogue.ts'
import { CliError, type Cli, type Command } from '../command.ts'

export const directoryKey: Command = {
  name: 'directory key',
  summary: 'makes a key that signs lists of plugins',
  usage: '<file>',
  words: ['file'],
  help: `
Writes a new private key (Ed25519, PEM) that only you can read, and prints the public one. Keep the file out of every
repository and backup that others read: its holder decides what the directory offers. A catalogue is accepted where the
public key is in core/packages/catalogue-keys.ts.

Example:
  npm run playhead -- directory key ~/directory.key`,
  async run(cli, { words: [file = ''] }) {
    const path = resolve(cli.workingDirectory, file)
    const { privateKey } = generateKeyPairSync('ed25519')
    await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 })
    cli.print(`Wrote the private key to ${path}.`)
    cli.print('Its public key, for core/packages/catalogue-keys.ts:')
    cli.print(`  '${keyName(privateKey)}': '${publicText(privateKey)}',`)
  },
}

/** The name of a key follows from its public part. */
export function keyName(key: KeyObject): string {
  return createHash('sha256').update(publicText(key)).digest('hex').slice(0, 8)
}

export async function readKey(cli: Pick<Cli, 'workingDirectory'>, file: unknown): Promise<KeyObject> {
  if (typeof file !== 'string')
    throw new CliError('name the file of the private key with --key. "directory key" makes one.')
  const path = resolve(cli.workingDirectory, file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`the key ${path} cannot be read (${error.code}).`)
  })
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below: the message of the library could quote the file.
  }
  throw new CliError(`${path} is not a private Ed25519 key. "directory key" makes one.`)
}
