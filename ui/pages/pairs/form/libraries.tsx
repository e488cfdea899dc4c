// The libraries of an account that are synced.
import { MultiSelect } from '@mantine/core'
import { useRead } from '../../../api/query.ts'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Account } from './draft.ts'

export interface LibrariesProps {
  readonly account: Account
  readonly name: string
  /** Ids by provider. */
  readonly value: Readonly<Record<string, readonly string[]>>
  readonly onChange: (value: Readonly<Record<string, readonly string[]>>) => void
}

/** Renders nothing for a service without libraries. */
export function Libraries({ account: { provider, instance }, name, value, onChange }: LibrariesProps) {
  const { data } = useRead(
    ['connections', 'libraries'],
    'GET /api/connections/{provider}/{instance}/libraries',
    { params: { provider, instance } },
    { staleTime: 60_000 },
  )
  const libraries = data?.libraries ?? []
  if (libraries.length === 0) return null
  const chosen = [...(value[provider] ?? [])]
  return (
    <MultiSelect
      label={say(texts.libraries.label, { side: name })}
      description={texts.libraries.help}
      placeholder={chosen.length === 0 ? texts.libraries.none : ''}
      value={chosen}
      clearable
      data={libraries.map(({ id, title }) => ({ value: id, label: title }))}
      onChange={(ids) => onChange({ ...value, [provider]: ids })}
    />
  )
}
