import { useQuery } from '@tanstack/react-query';
import { ApiClient } from '../api/client';

const client = new ApiClient();

export function useParcels(options: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: ['parcels'],
    queryFn: () => client.parcels(),
    refetchInterval: 5000,
    ...options,
  });
}
