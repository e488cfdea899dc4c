// Re-encrypts all secrets with a new key. For the command line: the service must be stopped.
import { readFile } from 'node:fs/promises'
import { replaceFile } from '../../storage/atomic-file.ts'
import { addKey } from '../../storage/key-file.ts'
import { openVault } from '../../storage/vault.ts'
import { equal } from '../document/document.ts'
import { openText, sealText } from './sealed-text.ts'
import { createSecretRule } from './secret-rule.ts'

interface RotationOptions {
  readonly file: string
  readonly lastGoodFile: string
  readonly keyFile: string
  /** The current passphrase, if there is no key file. */
  readonly passphrase?: string | undefined
  /** The new passphrase. Without it a new key is added to the key file; old keys stay for old backups. */
  readonly newPassphrase?: string | undefined
}

/**
 * Returns the number of re-encrypted secrets. If interrupted, the configuration is readable with the old or the new
 * key.
 */
export async function rotateSecrets({
  file,
  lastGoodFile,
  keyFile,
  passphrase,
  newPassphrase,
}: RotationOptions): Promise<number> {
  const opened = openText(await readFile(file, 'utf8'), openVault({ keyFile, passphrase }))
  if (newPassphrase === undefined) await addKey(keyFile)
  const options = { keyFile, passphrase: newPassphrase }
  const sealed = sealText(opened.document, createSecretRule([], opened.encrypted), openVault(options), new Map())
  const readBack = openText(sealed.text, openVault(options)).document
  if (!equal(readBack, opened.document))
    throw new Error('The newly encrypted configuration does not read back. Nothing was changed.')
  await replaceFile(file, sealed.text)
  await replaceFile(lastGoodFile, sealed.text)
  return sealed.ciphertexts.size
}
