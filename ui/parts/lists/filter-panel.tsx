// Search with filters beside it; on a phone, the filters are in a drawer.
import { Button, Drawer, Group, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFilter, IconSearch } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { usePhone } from '../page/use-phone.ts'
import { say } from '../../texts/say.ts'

const { filters: texts } = parts

interface FilterPanelProps {
  /** Omitted for lists without a search. */
  readonly search?: {
    readonly label: string
    readonly value: string
    readonly onChange: (text: string) => void
    readonly placeholder?: string
  }
  /** The number of active filters, without the search. */
  readonly set: number
  readonly onClear: () => void
  /** Always shown beside the search. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function FilterPanel({ search, set, onClear, aside, children }: FilterPanelProps) {
  const isPhone = usePhone()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Group gap="sm" align="flex-end" role="search">
      {search === undefined ? null : (
        <TextInput
          type="search"
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={200}
          // On a phone, what is beside it needs a line together with the button of the filters.
          style={{ flex: isPhone && aside !== undefined ? '1 1 100%' : '2 1 14rem' }}
          {...search}
          onChange={(event) => search.onChange(event.currentTarget.value)}
        />
      )}
      {isPhone ? (
        <>
          <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />} onClick={open}>
            {set === 0 ? texts.title : say(texts.set, { n: set })}
          </Button>
          <Drawer opened={isOpen} onClose={close} position="bottom" size="auto" title={texts.title}>
            <Stack pb="md">
              {children}
              <Group grow>
                <Button variant="default" disabled={set === 0} onClick={onClear}>
                  {texts.clear}
                </Button>
                <Button onClick={close}>{texts.done}</Button>
              </Group>
            </Stack>
          </Drawer>
        </>
      ) : (
        children
      )}
      {aside}
      {!isPhone && set > 0 ? (
        <Button variant="subtle" onClick={onClear}>
          {texts.clear}
        </Button>
      ) : null}
    </Group>
  )
}

/** The style of a field in the panel. */
export const FIELD = { flex: '1 1 8rem', maxWidth: '100%' } as const
