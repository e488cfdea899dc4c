// The two accounts of a pair and its direction.
import { ActionIcon, Group, Radio, Select, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core'
import { IconArrowsLeftRight, IconArrowRight, IconSwitchHorizontal } from '@tabler/icons-react'
import { useSideNames } from '../../../parts/values/names.ts'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import type { Account, Draft, Mode, Provider } from './draft.ts'

interface SidesFieldsProps {
  readonly draft: Draft
  readonly providers: readonly Provider[]
  readonly onChange: (part: Partial<Draft>) => void
}

const MODES = [
  { mode: 'two_way', texts: texts.twoWay, icon: IconArrowsLeftRight },
  { mode: 'one_way', texts: texts.oneWay, icon: IconArrowRight },
] as const

export function SidesFields({ draft, providers, onChange }: SidesFieldsProps) {
  const { a, b, mode } = draft
  return (
    <>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ flex: 1 }}>
          <SideSelect
            label={texts.a[mode]}
            value={a}
            other={b}
            providers={providers}
            onChange={(side) => onChange({ a: side })}
          />
          <SideSelect
            label={texts.b[mode]}
            value={b}
            other={a}
            providers={providers}
            onChange={(side) => onChange({ b: side })}
          />
        </SimpleGrid>
        <Tooltip label={texts.swap}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={texts.swap}
            disabled={a === null && b === null}
            onClick={() => onChange({ a: b, b: a })}
          >
            <IconSwitchHorizontal size={18} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Radio.Group label={texts.direction} value={mode} onChange={(next) => onChange({ mode: next as Mode })}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
          {MODES.map(({ mode: one, texts, icon: Icon }) => (
            <Radio.Card key={one} value={one} p="md" aria-label={texts.title}>
              <Group wrap="nowrap" align="flex-start">
                <Radio.Indicator mt="3xs" />
                <Stack gap="3xs">
                  <Group gap="xs">
                    <Text fw={500}>{texts.title}</Text>
                    <Icon size={16} aria-hidden />
                  </Group>
                  <Text size="sm" c="dimmed">
                    {texts.text}
                  </Text>
                </Stack>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
    </>
  )
}

interface SideSelectProps {
  readonly label: string
  readonly value: Account | null
  readonly other: Account | null
  readonly providers: readonly Provider[]
  readonly onChange: (side: Account) => void
}

function SideSelect({ label, value, other, providers, onChange }: SideSelectProps) {
  const nameOf = useSideNames()
  const accounts = providers.flatMap(({ name, instances }) =>
    instances.filter(({ configured }) => configured).map(({ id }) => ({ provider: name, instance: id })),
  )
  const data = accounts.map((one) => ({
    value: idOf(one),
    label: nameOf(one.provider, one.instance),
    disabled: other !== null && idOf(one) === idOf(other),
  }))
  return (
    <Select
      label={label}
      placeholder={texts.pick}
      data={data}
      value={value === null ? null : idOf(value)}
      searchable
      nothingFoundMessage={texts.noMatch}
      allowDeselect={false}
      onChange={(id) => {
        const chosen = accounts.find((one) => idOf(one) === id)
        if (chosen !== undefined) onChange(chosen)
      }}
    />
  )
}

function idOf({ provider, instance }: Account): string {
  return `${provider} ${instance}`
}
