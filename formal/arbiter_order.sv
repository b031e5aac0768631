// The matrix of least_recent is an order: of two one is before the other, and no
// three go round.
module arbiter_order #(
    parameter int unsigned NumInputs = 4
) (
    input logic started_i,
    input logic [NumInputs-1:0][NumInputs-1:0] before_i
);

  always_comb begin
    if (started_i) begin
      for (int unsigned i = 0; i < NumInputs; i++) begin
        for (int unsigned j = 0; j < NumInputs; j++) begin
          if (i != j) assert (before_i[i][j] != before_i[j][i]);
          for (int unsigned k = 0; k < NumInputs; k++) begin
            if (i != j && j != k && i != k) begin
              assert (!(before_i[i][j] && before_i[j][k] && before_i[k][i]));
            end
          end
        end
      end
    end
  end

endmodule
