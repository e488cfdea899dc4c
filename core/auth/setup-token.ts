// The setup token: proof that the person who creates the first account can read this machine's environment or console.
// Not required for local clients.
import { hash, randomInt } from 'node:crypto'
import { sameText } from '@playhead/sdk'

export interface SetupToken {
  /** Creates a token if there is none; it is printed only to the console. */
  ensure(): void
  accepts(attempt: string): boolean
  /** Invalidates a generated token after use. */
  used(): void
}

interface SetupTokenDependencies {
  /** Chosen by the operator (`PLAYHEAD_SETUP_TOKEN`). */
  readonly fromEnvironment: string | null
  /** Hash of a token from an offline reset; empty if there is none. */
  readonly storedHash: () => string
  /** Prints to the console, not to the log, which is readable over HTTP. */
  readonly announce: (text: string) => void
}

export function createSetupToken({ fromEnvironment, storedHash, announce }: SetupTokenDependencies): SetupToken {
  let generatedHash = ''

  return {
    ensure() {
      if (fromEnvironment !== null || storedHash() !== '' || generatedHash !== '') return
      const token = newSetupToken()
      generatedHash = setupTokenHash(token)
      announce(`To set up Playhead from another machine, enter this setup token: ${token}`)
    },
    accepts(attempt) {
      // All are compared, so that timing does not reveal which kinds exist.
      const verdicts = [
        fromEnvironment !== null && sameText(attempt, fromEnvironment),
        sameText(setupTokenHash(attempt), storedHash()),
        sameText(setupTokenHash(attempt), generatedHash),
      ]
      return verdicts.includes(true)
    },
    used() {
      generatedHash = ''
    },
  }
}

/** Four groups of five unambiguous letters and digits: 100 random bits. */
export function newSetupToken(): string {
  const characters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)] as string)
  return characters.join('').replace(/.{5}(?=.)/g, '$&-')
}

export function setupTokenHash(token: string): string {
  return hash('sha256', token.toUpperCase().replace(/[^A-Z0-9]/g, ''), 'hex')
}

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
