// The setup token: proof that the person who creates the first account can read this machine's environment or its
// console. Whoever sits at the machine needs none.
import { hash, randomInt } from 'node:crypto'
import { sameText } from '@playhead/sdk'

export interface SetupToken {
  /** Makes sure that there is a token to ask for; a new one is announced on the console, and only there. */
  ensure(): void
  accepts(attempt: string): boolean
  /** Forgets a generated token: it works once. */
  used(): void
}

export interface SetupTokenDependencies {
  /** Chosen by the operator (`PLAYHEAD_SETUP_TOKEN`). */
  readonly fromEnvironment: string | null
  /** Hash of a token that an offline reset printed; empty when there is none. */
  readonly storedHash: () => string
  /** Prints to the console. Not the log: that one can be read over HTTP. */
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
      // All are compared, so that the time taken does not say which kinds exist.
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

/** Four groups of five letters and digits that cannot be mistaken for each other: 100 random bits, readable aloud. */
export function newSetupToken(): string {
  const characters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)] as string)
  return characters.join('').replace(/.{5}(?=.)/g, '$&-')
}

export function setupTokenHash(token: string): string {
  return hash('sha256', token.toUpperCase().replace(/[^A-Z0-9]/g, ''), 'hex')
}

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
