import { flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { useParcels } from '../hooks/useParcels';
import { toLocalDay } from '../lib/dates';

export function ParcelTable() {
  const { data = [] } = useParcels();
  const [selected, setSelected] = useState<number | null>(null);
  const columns = useMemo(
    () => [
      { accessorKey: 'id', header: 'No.' },
      { accessorKey: 'carrier', header: 'Carrier' },
      { accessorFn: (p: any) => toLocalDay(p.createdAt), header: 'Created' },
    ],
    [],
  );
  const table = useReactTable({ data, columns, getCoreRowModel: getCoreRowModel() });
  return (
    <table aria-label="parcels">
      <tbody>
        {table.getRowModel().rows.map((row) => (
          <tr key={row.id} onClick={() => setSelected(row.original.id)} data-on={selected === row.original.id}>
            {row.getVisibleCells().map((c) => (
              <td key={c.id}>{flexRender(c.column.columnDef.cell, c.getContext())}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
