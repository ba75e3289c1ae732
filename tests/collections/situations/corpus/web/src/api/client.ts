export type Parcel = { id: number; carrier: string; status: string; createdAt: string };

export class ApiClient {
  constructor(private readonly base: string = import.meta.env.VITE_API_URL) {}

  async get<T>(path: string): Promise<T> {
    const res = await fetch(`${this.base}${path}`, { credentials: 'include' });
    if (!res.ok) throw new Error(`GET ${path}: ${res.status}`);
    return (await res.json()) as T;
  }

  parcels(): Promise<Parcel[]> {
    return this.get('/parcels');
  }
}
