// The libraries of an account that are synced.
import { MultiSelect } from '@mantine/core'
import { useRead } from '../../../api/query.ts'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import type { Account } from './draft.ts'

interface LibrariesProps {
  readonly account: Account
  /** The other account of the pair belongs to the same provider. */
  readonly isOneOfTwo: boolean
  readonly isSource: boolean
  readonly name: string
  /** Library ids by provider, or by account in a pair of two accounts of one provider. */
  readonly value: Readonly<Record<string, readonly string[]>>
  readonly onChange: (value: Readonly<Record<string, readonly string[]>>) => void
}

/** Renders nothing for a service without libraries. */
export function Libraries({ account, isOneOfTwo, isSource, name, value, onChange }: LibrariesProps) {
  const { provider, instance } = account
  const { data } = useRead(
    ['connections', 'libraries'],
    'GET /api/connections/{provider}/{instance}/libraries',
    { params: { provider, instance } },
    { staleTime: 60_000 },
  )
  const libraries = data?.libraries ?? []
  if (libraries.length === 0) return null
  const key = isOneOfTwo ? `${provider}@${instance.toUpperCase()}` : provider
  // A provider name alone means the source, as in the service.
  const chosen = [...(value[key] ?? (isSource ? value[provider] : undefined) ?? [])]
  return (
    <MultiSelect
      label={say(texts.libraries.label, { side: name })}
      description={texts.libraries.help}
      placeholder={chosen.length === 0 ? texts.libraries.none : ''}
      value={chosen}
      clearable
      data={libraries.map(({ id, title }) => ({ value: id, label: title }))}
      onChange={(ids) => {
        const { [provider]: ofProvider, ...others } = value
        const kept =
          ofProvider === undefined || !isOneOfTwo || isSource ? others : { ...others, [provider]: ofProvider }
        onChange({ ...kept, [key]: ids })
      }}
    />
  )
}
