// Logo and product name.
import { Group, Text } from '@mantine/core'
import { shell } from '../../texts/en/shell.ts'

const SIZE = 24

/** The address of the logo is in the HTML shell, which knows its hashed name. */
export function Brand() {
  const sign = document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href
  return (
    <Group gap={8} wrap="nowrap">
      {sign === undefined ? null : <img src={sign} alt="" width={SIZE} height={SIZE} />}
      <Text fw={700} size="lg">
        {shell.product}
      </Text>
    </Group>
  )
}
