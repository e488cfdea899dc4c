// The content of a dialog that asks before an action is carried out.
import type { ReactNode } from 'react'

export interface ConfirmOptions {
  readonly title: string
  readonly text: ReactNode
  /** Names of the affected items. */
  readonly touches?: readonly string[]
  /** Number of affected items, if `touches` is incomplete. */
  readonly touchesTotal?: number
  /** Label of the button, a verb ("Remove 3 items"). */
  readonly action: string
  /** Text to type first, for large changes that cannot be undone. */
  readonly typed?: string
  readonly destructive?: boolean
}
