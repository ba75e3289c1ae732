export function kg(value: string): string {
  return `${value.replace(/0+$/, '').replace(/\.$/, '')} kg`;
}

export function eur(value: string): string {
  return `€ ${value}`;
}
