import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ParcelTable } from './components/ParcelTable';

const queryClient = new QueryClient();

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <h1>Parcels</h1>
      <ParcelTable />
    </QueryClientProvider>
  );
}
