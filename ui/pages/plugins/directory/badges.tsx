// The level of a version, and how the installed one stands to the newest.
import { Badge } from '@mantine/core'
import { IconMedal } from '@tabler/icons-react'
import { StatusBadge, type Tone } from '../../../parts/values/status-badge.tsx'
import { directory as texts } from '../../../texts/en/directory.ts'
import type { ListedVersion, Listing } from './data.ts'

const TONES: Readonly<Record<Listing['state'], Tone>> = {
  available: 'idle',
  installed: 'good',
  update: 'busy',
  withdrawn: 'warn',
  built_in: 'good',
  unlisted: 'idle',
  unsupported: 'idle',
}

export function ListingBadge({ state }: Pick<Listing, 'state'>) {
  return <StatusBadge tone={TONES[state]} label={texts.states[state]} />
}

const COLORS = { bronze: 'orange', silver: 'gray', gold: 'yellow', platinum: 'indigo' } as const

export function LevelBadge({ level }: Pick<ListedVersion, 'level'>) {
  if (level === null) return null
  return (
    <Badge variant="light" color={COLORS[level]} tt="none" leftSection={<IconMedal size={13} aria-hidden />}>
      {texts.levels[level]}
    </Badge>
  )
}
