// A part that is folded until it is opened: the only kind of folding.
import { Paper, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'

interface FoldProps {
  readonly title: ReactNode
  /** Text beside the title. */
  readonly aside?: string
  /** Opens it, for example because a field inside has an error. */
  readonly isOpen?: boolean
  /** The content is in the document while it is folded, so that an address can lead to it. */
  readonly isKept?: boolean
  readonly isFramed?: boolean
  readonly children: ReactNode
}

export function Fold({ title, aside, isOpen = false, isKept = false, isFramed = false, children }: FoldProps) {
  const [isUnfolded, setUnfolded] = useState(false)
  const isShown = isOpen || isUnfolded
  const fold = (
    <details className="fold" open={isShown} onToggle={(event) => setUnfolded(event.currentTarget.open)}>
      <summary>
        <IconChevronRight size={16} className="fold-mark" aria-hidden />
        <Text span fw={500} inherit className="grow">
          {title}
          {aside === undefined ? null : (
            <Text span size="sm" c="dimmed">
              {` · ${aside}`}
            </Text>
          )}
        </Text>
      </summary>
      {isShown || isKept ? <div className="fold-content">{children}</div> : null}
    </details>
  )
  return isFramed ? (
    <Paper withBorder px="md" py="2xs">
      {fold}
    </Paper>
  ) : (
    fold
  )
}
