// Option to skip the history of dropped shows.
import { Switch } from '@mantine/core'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Draft } from './draft.ts'
import type { Ends } from './support.ts'

interface DroppedShowsProps {
  readonly ends: Ends
  readonly value: Draft['providers']
  readonly onChange: (value: Draft['providers']) => void
}

const OPTION = 'history_ignore_dropped_shows'

export function canDrop({ a, b }: Ends): boolean {
  return a.capabilities.dropped_shows || b.capabilities.dropped_shows
}

/** One switch per provider that reports dropped shows; profiles of a provider share it. */
export function DroppedShows({ ends: { a, b, nameOfA, nameOfB }, value, onChange }: DroppedShowsProps) {
  const sides =
    a.name === b.name
      ? [{ side: a, name: a.label }]
      : [
          { side: a, name: nameOfA },
          { side: b, name: nameOfB },
        ]
  return sides.map(({ side, name }) => {
    if (!side.capabilities.dropped_shows) return null
    const key = side.name.toLowerCase()
    return (
      <Switch
        key={key}
        label={say(texts.droppedShows.label, { side: name })}
        description={texts.droppedShows.help}
        checked={value[key]?.[OPTION] === true}
        onChange={(event) => onChange({ ...value, [key]: { ...value[key], [OPTION]: event.currentTarget.checked } })}
      />
    )
  })
}
