/** Day in the operator's zone for a UTC timestamp of the API. */
export function toLocalDay(utc: string, zone = 'Europe/Berlin'): string {
  const d = new Date(utc.endsWith('Z') ? utc : `${utc}Z`);
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(d);
}
